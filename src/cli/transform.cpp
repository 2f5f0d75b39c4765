// diffeo transform: series into the common time of a model, or back.
#include <iostream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "cli/aligner_model.hpp"
#include "cli/bulk_work.hpp"
#include "cli/config_file.hpp"
#include "cli/kept_files.hpp"
#include "cli/ordered_work.hpp"
#include "cli/reporting.hpp"
#include "cli/series_arguments.hpp"
#include "cli/torch_part.hpp"
#include "cli/verb.hpp"
#include "data/json_text.hpp"
#include "diffeo/error.hpp"
#include "diffeo/file_error.hpp"
#include "diffeo/series_stream.hpp"

namespace diffeo::cli {
namespace {

struct TransformOptions {
  std::string model;
  std::string series;
  std::string output;
  std::string inverse;
  StreamFormat format;
  BulkOptions bulk;
  Reporting reporting;
  ConfigOptions config;

  [[nodiscard]] bool is_inverse() const { return !inverse.empty(); }
};

void require_channels(const std::string& file, const Dataset& part, const TransformOptions& options,
                      const AlignerModel& model) {
  if (part.channels() == model.channels) return;
  throw FileError({shown_input_name(file)}, message("expected ", counted(model.channels, "channel", "channels"), " as ",
                                                    options.model, " has, got ", part.channels()));
}

/// Series whose warps are used, and those in aligned time that go with them.
struct Part {
  Dataset series;
  std::size_t first = 0;  // cases before it
  std::optional<Dataset> aligned;
};

/// The two files, read in step.
class PartReader {
 public:
  PartReader(const TransformOptions& options, BulkMeter& meter)
      : options_(options), meter_(meter), series_(options.series, meter.reading(options.series, options.format)) {
    if (options.is_inverse()) aligned_.emplace(options.inverse, meter.reading(options.inverse, {options.format.name}));
  }

  /// What the result will be like; not all of it is known of a pipe that goes to a form that need not know.
  [[nodiscard]] SeriesOutline result_outline(const AlignerModel& model) {
    const std::string to = is_stream(options_.output) ? options_.format.name : series_format(options_.output);
    const bool must_know = options_.is_inverse() || (to != "tsv" && to != "csv");
    if (must_know || series_.can_be_read_again()) input_ = meter_.outline(series_);
    SeriesOutline result = input_;
    if (options_.is_inverse()) {
      result = meter_.outline(*aligned_);
      if (result.cases != input_.cases) {
        throw FileError({options_.inverse}, message("expected one series for each of the ", input_.cases, " of ",
                                                    options_.series, ", got ", result.cases));
      }
      result.shortest = input_.shortest;
      result.longest = input_.longest;
      return result;
    }
    result.channels = model.channels;
    result.shortest = result.longest = model.length;
    return result;
  }

  [[nodiscard]] const SeriesOutline& input() const { return input_; }

  [[nodiscard]] std::optional<Part> next() {
    std::optional<Dataset> series = series_.next();
    if (!series) return std::nullopt;
    const std::size_t first = std::exchange(taken_, taken_ + series->cases());
    Part part{std::move(*series), first, std::nullopt};
    if (aligned_) part.aligned = aligned_->next({part.series.cases(), std::numeric_limits<std::size_t>::max()});
    return part;
  }

 private:
  const TransformOptions& options_;
  BulkMeter& meter_;
  SeriesReader series_;
  std::optional<SeriesReader> aligned_;
  SeriesOutline input_;
  std::size_t taken_ = 0;
};

struct Transformed {
  Dataset series;
  std::uint64_t values_in = 0;
};

/// Writes as the first part comes: only then it is known whether there are labels, where a pipe has not been read
/// ahead.
class ResultWriter {
 public:
  ResultWriter(const TransformOptions& options, SeriesOutline outline)
      : options_(options), outline_(std::move(outline)) {}

  void write(const Dataset& part) {
    if (!writer_) {
      if (outline_.cases == 0) outline_.labeled = part.labeled();
      writer_.emplace(options_.output, outline_, options_.format.writing(options_.output));
    }
    writer_->write(part);
    cases_ += part.cases();
  }

  /// What was written.
  [[nodiscard]] SeriesOutline finish() {
    writer_->finish();
    SeriesOutline written = outline_;
    written.cases = cases_;
    return written;
  }

 private:
  const TransformOptions& options_;
  SeriesOutline outline_;
  std::optional<SeriesWriter> writer_;
  std::size_t cases_ = 0;
};

void print(const TransformOptions& options, const SeriesOutline& written, const Throughput& throughput) {
  if (options.reporting.json) {
    const nlohmann::ordered_json document = {{"file", options.output},
                                             {"cases", written.cases},
                                             {"channels", written.channels},
                                             {"length", written.longest},
                                             {"inverse", options.is_inverse()},
                                             {"values", throughput.values},
                                             {"seconds", throughput.seconds},
                                             {"jobs", throughput.jobs},
                                             {"values_per_second", throughput.per_second()},
                                             {"values_per_second_per_core", throughput.per_core()}};
    (is_stream(options.output) ? std::cerr : std::cout) << files::json_line(document) << std::endl;
    return;
  }
  options.reporting.remark(throughput.text());
  if (is_stream(options.output)) return;
  std::cout << options.output << ": " << size_text(written) << ", "
            << (options.is_inverse() ? "brought back" : "aligned") << '\n';
}

void transform(const TransformOptions& options) {
  require_other_file("--output", options.output, {options.model, options.series, options.inverse});
  const std::size_t jobs = options.bulk.threads();
  BulkMeter meter("transform", options.reporting, jobs);
  const AlignerModel model = load_aligner("transform", options.model);
  PartReader reader(options, meter);
  meter.listen();
  ResultWriter writer(options, reader.result_outline(model));
  meter.begin(reader.input());
  ordered_work<Part, Transformed>(
      jobs,
      [&] {
        meter.require_going_on();
        return reader.next();
      },
      [&](Part part) -> Transformed {
        use_one_torch_thread();
        require_channels(options.series, part.series, options, model);
        Dataset result = with_place(options.series, part.first, [&] {
          return part.aligned ? model.aligner->inverse_transform(*part.aligned, part.series)
                              : model.aligner->transform(part.series);
        });
        return {std::move(result), part.series.values().size()};
      },
      [&](const Transformed& result) {
        writer.write(result.series);
        meter.add(result.series.cases(), result.values_in);
      });
  meter.require_going_on();
  print(options, writer.finish(), meter.throughput());
}

}  // namespace

void add_transform(CLI::App& program, Action& action) {
  CLI::App* verb = program.add_subcommand("transform", "Align series with a model that align or fit made");
  verb->group("Verbs");
  const auto options = std::make_shared<TransformOptions>();
  verb->add_option("model", options->model, "What fit, or align with --model, wrote")->required()->type_name("MODEL");
  verb->add_option("series", options->series, "The series whose warps are used, or -; labels are not looked at")
      ->required()
      ->type_name("FILE");
  verb->add_option("-o,--output", options->output, "Where to: .tsv, .csv, .ts, .arff, .npy or .npz, or -")
      ->required()
      ->type_name("FILE");
  verb->add_option("--inverse", options->inverse,
                   "Series in aligned time, one for each of FILE: brought back into the time of FILE by its warps")
      ->type_name("OTHER");
  add_reading(*verb, options->format, options->reporting);
  add_table_options(*verb, options->format);
  add_bulk_options(*verb, options->bulk);
  add_reporting(*verb, options->reporting, "Say what was made as JSON; on stderr where the series go to stdout");
  add_config_options(*verb, options->config);
  verb->callback([options, verb, &action] {
    require_model_before_series("transform", options->model, options->series);
    action = saving_config(*verb, options->config, {}, [options] { transform(*options); });
  });
}

}  // namespace diffeo::cli
