// diffeo transform: series into the common time of a model, or back.
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/verb.hpp"
#include "diffeo/files.hpp"
#include "diffeo/torch/temporal_aligner.hpp"

namespace diffeo::cli {
namespace {

struct TransformOptions {
  std::string model;
  std::string series;
  std::string output;
  std::string inverse;
  bool json = false;
};

void print(const TransformOptions& options, const Dataset& set) {
  if (options.json) {
    const nlohmann::ordered_json document = {{"file", options.output},
                                             {"cases", set.cases()},
                                             {"channels", set.channels()},
                                             {"length", set.longest()},
                                             {"inverse", !options.inverse.empty()}};
    std::cout << document.dump() << '\n';
    return;
  }
  std::cout << options.output << ": " << set.cases() << (set.cases() == 1 ? " case of " : " cases of ")
            << set.channels() << (set.channels() == 1 ? " channel and " : " channels and ")
            << (set.equally_long() ? "" : "up to ") << set.longest() << " time steps, "
            << (options.inverse.empty() ? "aligned" : "brought back") << '\n';
}

void transform(const TransformOptions& options) {
  const TemporalAligner aligner = TemporalAligner::load(options.model);
  const Dataset series = read_dataset(options.series);
  const Dataset result = options.inverse.empty() ? aligner.transform(series)
                                                 : aligner.inverse_transform(read_dataset(options.inverse), series);
  write_dataset(options.output, result);
  print(options, result);
}

}  // namespace

void add_transform(CLI::App& program, Action& action) {
  CLI::App* verb = program.add_subcommand("transform", "Align series with a model that fit made");
  verb->group("Verbs");
  const auto options = std::make_shared<TransformOptions>();
  verb->add_option("model", options->model, "What fit wrote")->required()->type_name("MODEL");
  verb->add_option("series", options->series, "The series whose warps are used; labels are not looked at")
      ->required()
      ->type_name("FILE");
  verb->add_option("-o,--output", options->output, "Where to: .tsv, .csv, .ts, .arff, .npy or .npz")
      ->required()
      ->type_name("FILE");
  verb->add_option("--inverse", options->inverse,
                   "Series in aligned time, one for each of FILE: brought back into the time of FILE by its warps")
      ->type_name("OTHER");
  verb->add_flag("--json", options->json, "Say what was made as JSON");
  verb->callback([options, &action] { action = [options] { transform(*options); }; });
}

}  // namespace diffeo::cli
