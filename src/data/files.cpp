#include "diffeo/files.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "data/formats.hpp"
#include "data/text_source.hpp"
#include "diffeo/error.hpp"
#include "diffeo/file_error.hpp"
#include "diffeo/series_stream.hpp"

namespace diffeo {
namespace files {
namespace {

using Path = std::filesystem::path;

struct Format {
  std::string_view name;  // the extension without its point
  std::unique_ptr<CaseSource> (*source)(InputFile file, const ReadOptions& options);
  std::unique_ptr<CaseSink> (*sink)(OutputFile& file, const SeriesOutline& outline);
};

constexpr std::array<Format, 6> kFormats = {{{"tsv", tsv_source, tsv_sink},
                                             {"csv", csv_source, csv_sink},
                                             {"ts", ts_source, ts_sink},
                                             {"arff", arff_source, arff_sink},
                                             {"npy", npy_source, npy_sink},
                                             {"npz", npz_source, npz_sink}}};

std::string listed_formats(std::string_view before) {
  std::string list;
  for (const Format& format : kFormats) {
    list.append(list.empty() ? "" : ", ").append(before).append(format.name);
  }
  return list;
}

bool is_compressed(const Path& path) { return lowered(path.extension().string()) == ".gz"; }

const Format& format_of(const Path& path) {
  const std::string extension = (is_compressed(path) ? path.stem() : path).extension().string();
  for (const Format& format : kFormats) {
    if (lowered(extension) == message('.', format.name)) return format;
  }
  throw FileError({path.string()},
                  "expected one of the extensions " + listed_formats(".") + ", got " + in_quotes(extension));
}

const Format& format_named(std::string_view name, const Path& path) {
  if (name.empty()) return format_of(path);
  const auto found = std::ranges::find(kFormats, name, &Format::name);
  require(found != kFormats.end(), "format: expected one of ", listed_formats(""), ", got ", in_quotes(name));
  return *found;
}

/// The terms hold for what is decompressed, too.
InputFile opened(const Path& path, bool is_standard, ReadTerms terms) {
  InputFile file = is_standard ? InputFile() : InputFile(path);
  file.set_terms(std::move(terms));
  return !is_standard && is_compressed(path) ? decompressed(std::move(file)) : std::move(file);
}

bool is_standard_stream(const Path& path, std::string_view format) {
  return path == Path(kStandardStream) && !format.empty();
}

/// What is odd about a file, told once and only when all of it has been read: an error says more.
class Oddity {
 public:
  explicit Oddity(std::function<void(const std::string&)> warning) : warning_(std::move(warning)) {}

  void note(const std::string& text) { text_ = text; }
  void tell() {
    if (!text_.empty() && warning_ && !std::exchange(is_told_, true)) warning_(text_);
  }

 private:
  std::function<void(const std::string&)> warning_;
  std::string text_;
  bool is_told_ = false;
};

}  // namespace
}  // namespace files

struct SeriesReader::Source {
  const files::Format& format;
  ReadOptions options;
  files::InputFile file;
  std::shared_ptr<files::Oddity> oddity;
  std::unique_ptr<files::CaseSource> opened = {};

  [[nodiscard]] std::unique_ptr<files::CaseSource> open() {
    std::unique_ptr<files::CaseSource> source = format.source(file.again(), options);
    if (const auto tell = std::exchange(options.told, {}); tell && !source->description().empty()) {
      tell(source->description());
    }
    return source;
  }
  [[nodiscard]] files::CaseSource& cases() {
    if (opened == nullptr) opened = open();
    return *opened;
  }
};

SeriesReader::SeriesReader(const std::filesystem::path& path, const ReadOptions& options) {
  const files::Format& format = files::format_named(options.format, path);
  const bool is_table = format.name == "csv" || format.name == "tsv";
  require(std::holds_alternative<UsualLabelColumn>(options.label) || is_table, "label: expected none for .",
          format.name, ", where the form says it; got one");
  require(!options.table.is_asked() || is_table, "expected no options of tables for .", format.name,
          ", where the form says it; got some");
  const bool is_standard = files::is_standard_stream(path, options.format);
  const auto oddity = std::make_shared<files::Oddity>(options.warning);
  files::ReadTerms terms{options.waiting, [oddity](const std::string& text) { oddity->note(text); }, options.max_size};
  source_.reset(new Source{format, options, files::opened(path, is_standard, std::move(terms)), oddity});
}
SeriesReader::SeriesReader(SeriesReader&&) noexcept = default;
SeriesReader& SeriesReader::operator=(SeriesReader&&) noexcept = default;
SeriesReader::~SeriesReader() = default;

std::optional<Dataset> SeriesReader::next(const PartSize& size) {
  require(size.cases > 0 && size.values > 0, "size: expected at least one case and one value, got ", size.cases,
          " and ", size.values);
  std::optional<Dataset> part = source_->cases().next(size);
  if (!part) source_->oddity->tell();
  return part;
}

Dataset SeriesReader::rest() {
  Dataset set = source_->cases().all();
  source_->oddity->tell();
  return set;
}

bool SeriesReader::can_be_read_again() const noexcept { return source_->file.seekable(); }

SeriesOutline SeriesReader::outline(const std::function<void(const SeriesOutline&)>& progress) {
  require(source_->opened == nullptr, "outline: expected before next, got after it");
  source_.reset(new Source{source_->format, std::move(source_->options), files::at_any_place(std::move(source_->file)),
                           source_->oddity});
  SeriesOutline outline;
  const std::unique_ptr<files::CaseSource> cases = source_->open();
  while (const std::optional<Dataset> part = cases->next({})) {
    outline.add(*part);
    if (progress) progress(outline);
  }
  source_->oddity->tell();
  return outline;
}

struct SeriesWriter::Sink {
  Sink(const std::filesystem::path& path, SeriesOutline expected, std::string_view format)
      : outline(std::move(expected)),
        file(files::is_standard_stream(path, format) ? files::OutputFile() : files::OutputFile(path)),
        cases(files::format_named(format, path).sink(file, outline)) {
    cases->begin();
  }

  SeriesOutline outline;
  files::OutputFile file;
  std::unique_ptr<files::CaseSink> cases;
};

SeriesWriter::SeriesWriter(const std::filesystem::path& path, SeriesOutline outline, std::string_view format) {
  (void)files::format_named(format, path);  // before anything is opened
  if (files::is_compressed(path))
    throw FileError({path.string()}, "expected a name without .gz: files are written uncompressed");
  require(outline.channels > 0 && outline.longest > 0, "outline: expected at least one channel and one time step, got ",
          outline.channels, " and ", outline.longest);
  sink_ = std::make_unique<Sink>(path, std::move(outline), format);
}
SeriesWriter::SeriesWriter(SeriesWriter&&) noexcept = default;
SeriesWriter& SeriesWriter::operator=(SeriesWriter&&) noexcept = default;
SeriesWriter::~SeriesWriter() = default;

void SeriesWriter::write(const Dataset& part) {
  if (part.empty()) return;
  const SeriesOutline& outline = sink_->outline;
  require(part.channels() == outline.channels, "part: expected ", outline.channels, " channels, got ", part.channels());
  require(part.longest() <= outline.longest && part.shortest() >= outline.shortest, "part: expected lengths from ",
          outline.shortest, " to ", outline.longest, ", got ", part.shortest(), " to ", part.longest());
  require(part.labeled() == outline.labeled, "part: expected ", outline.labeled ? "labels" : "no labels", ", got ",
          part.labeled() ? "some" : "none");
  sink_->cases->add(part);
  // What goes into a pipe cannot be taken back: whoever reads it gets whole cases, and gets them as they come.
  if (!sink_->file.is_replaceable()) sink_->file.commit();
}

void SeriesWriter::finish() {
  const std::size_t expected = sink_->outline.cases;
  require(expected == 0 || sink_->cases->cases() == expected, "part: expected ", expected, " cases in all, got ",
          sink_->cases->cases());
  sink_->cases->finish();
  sink_->file.commit();
}

void SeriesOutline::add(const Dataset& part) {
  if (part.empty()) return;
  channels = part.channels();
  shortest = cases == 0 ? part.shortest() : std::min(shortest, part.shortest());
  longest = std::max(longest, part.longest());
  cases += part.cases();
  for (const double value : part.values()) {
    if (!std::isfinite(value)) {
      ++(std::isnan(value) ? missing : infinite);
    } else {
      const bool is_first = values == missing + infinite;
      least = is_first ? value : std::min(least, value);
      greatest = is_first ? value : std::max(greatest, value);
    }
    ++values;
  }
  labeled = part.labeled();
  class_names = part.class_names();
  class_cases.resize(class_names.size());
  for (const std::size_t label : part.labels()) ++class_cases[label];
}

SeriesOutline outline_of(const Dataset& set) {
  SeriesOutline outline;
  outline.add(set);
  return outline;
}

SeriesOutline outline_of(const std::filesystem::path& path, const ReadOptions& options) {
  return SeriesReader(path, options).outline();
}

std::vector<std::string> series_formats() {
  std::vector<std::string> names;
  for (const files::Format& format : files::kFormats) names.emplace_back(format.name);
  return names;
}

std::string series_format(const std::filesystem::path& path) { return std::string(files::format_of(path).name); }

Dataset read_dataset(const std::filesystem::path& path, const ReadOptions& options) {
  return SeriesReader(path, options).rest();
}

void write_dataset(const std::filesystem::path& path, const Dataset& set) {
  (void)files::format_of(path);
  require(!set.empty(), "set: expected at least one case, got none");
  SeriesWriter writer(path, outline_of(set));
  writer.write(set);
  writer.finish();
}

}  // namespace diffeo
