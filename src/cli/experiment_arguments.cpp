#include "cli/experiment_arguments.hpp"

#include <algorithm>
#include <iostream>
#include <stdexcept>

#include "cli/network_maker.hpp"
#include "cli/seed.hpp"
#include "data/output_file.hpp"
#include "diffeo/error.hpp"

namespace diffeo::cli {
namespace {

/// 3/12 done, 5 min left; last: GunPoint, dba
std::string progress_text(const EvaluationProgress& progress) {
  std::string text = message(progress.done, "/", progress.total, " done");
  if (progress.seconds_left) text += ", " + duration_text(*progress.seconds_left) + " left";
  if (progress.result == nullptr) return text;
  const EvaluationResult& last = *progress.result;
  text += "; last: " + last.item.dataset + ", " + last.item.method;
  return last.error.empty() ? text : text + ", failed: " + last.error;
}

}  // namespace

void add_experiment_options(CLI::App& verb, ExperimentArguments& arguments) {
  verb.add_option("archive", arguments.archive, "A folder of NAME/NAME_TRAIN and NAME/NAME_TEST, .tsv, .ts or .arff")
      ->required()
      ->type_name("ARCHIVE");
  verb.add_option("--results", arguments.results,
                  "A folder: every result is a line of its results.jsonl. One run at a time adds to it")
      ->required()
      ->type_name("DIR");
  verb.add_option("--datasets", arguments.datasets, "Data sets by name; all if not given")
      ->delimiter(',')
      ->type_name("A,B,...");
  verb.add_option("--jobs", arguments.jobs, "Processes that work at the same time; with several, each uses one thread")
      ->check(CLI::Range(1, 1024).description(""))
      ->type_name("N")
      ->capture_default_str();
}

void add_experiment_training(CLI::App& verb, ExperimentArguments& arguments) {
  verb.add_flag("--quiet", arguments.quiet, "No progress on stderr");
  verb.add_flag("--json", arguments.json, "Print the summary as JSON");
  add_training_options(verb, arguments.training);
}

void add_seeds(CLI::App& verb, std::vector<std::uint64_t>& seeds, const std::string& help) {
  // The same work twice would be done, and counted, twice.
  const auto keep_each_once = [&seeds](const std::vector<std::uint64_t>& given) {
    seeds.clear();
    for (const std::uint64_t seed : given) {
      if (std::ranges::find(seeds, seed) == seeds.end()) seeds.push_back(seed);
    }
  };
  verb.add_option_function<std::vector<std::uint64_t>>("--seeds", keep_each_once, help)
      ->delimiter(',')
      ->check(whole_seed())
      ->type_name("S,S,...");
}

void add_folds(CLI::App& verb, std::size_t& folds, const std::string& help) {
  verb.add_option("--cv", folds, help)->check(CLI::Range(2, 1'000'000).description(""))->type_name("N");
}

ExperimentRun::ExperimentRun(const std::string& verb, const ExperimentArguments& arguments, const ResultStore& store,
                             bool needs_networks)
    : arguments_(arguments), store_(store), line_(arguments.quiet) {
  if (!arguments.quiet && !store.repair().empty()) std::cerr << "diffeo: " << store.repair() << std::endl;
  if (needs_networks) control_.make_network = network_maker(verb);
  control_.jobs = arguments.jobs;
  control_.threads = arguments.jobs > 1 ? 1 : arguments.training.threads;
  control_.stop = [this] { return interruption_.requested(); };
  control_.callback = [this](const EvaluationProgress& progress) { show(progress); };
}

void ExperimentRun::show(const EvaluationProgress& progress) {
  const bool begins = progress.result == nullptr;
  const bool ends = is_under_way_ && progress.done == progress.total;  // once, of several results that came together
  is_under_way_ = begins || (is_under_way_ && !ends);
  const std::string text = stage_ + progress_text(progress);
  const double done = static_cast<double>(progress.done) / static_cast<double>(progress.total);
  begins || ends ? line_.show_at_once(text, done) : line_.show(text, done);
}

void ExperimentRun::fail_as_interrupted() const {
  throw std::runtime_error(message("interrupted with ", store_.results().size(), " results in ",
                                   store_.directory().string(), "; go on with: ", arguments_.command));
}

void write_document(const ResultStore& store, const std::string& name, const std::string& document) {
  files::OutputFile file(store.directory() / name);
  file.write(document);
  file.commit();
}

void report_failures(const std::string& verb, std::size_t failures, const ResultStore& store) {
  if (failures == 0) return;
  throw std::runtime_error(message(verb, ": ", failures, failures == 1 ? " piece" : " pieces",
                                   " of work failed (the lines with \"error\" in ", store.file().string(),
                                   "; without them, they are tried again)"));
}

}  // namespace diffeo::cli
