// diffeo fit: an aligner with a network, trained on a file of series, into a model file.
//
// Started in several processes, which python/diffeo_command joins into a group, all of them train the one model: each
// keeps its share of the file, the first writes and speaks.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "cli/config_file.hpp"
#include "cli/interruption.hpp"
#include "cli/kept_files.hpp"
#include "cli/progress_line.hpp"
#include "cli/reporting.hpp"
#include "cli/seed.hpp"
#include "cli/series_arguments.hpp"
#include "cli/training_arguments.hpp"
#include "cli/trial_fit.hpp"
#include "cli/typed_command.hpp"
#include "cli/verb.hpp"
#include "data/json_text.hpp"
#include "diffeo/error.hpp"
#include "diffeo/file_error.hpp"
#include "diffeo/nearest_centroid.hpp"
#include "diffeo/tensor_file.hpp"
#include "diffeo/threads.hpp"
#include "diffeo/torch/group.hpp"
#include "diffeo/torch/share_of_file.hpp"
#include "diffeo/torch/temporal_aligner.hpp"

namespace diffeo::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// The name of what torchrun starts, the same however often it does; empty where it was not torchrun.
std::string launched_run() {
  const char* const run = std::getenv("TORCHELASTIC_RUN_ID");
  return run == nullptr ? "" : run;
}

struct FitOptions {
  std::string training;
  std::string model;
  TrainingArguments arguments;
  std::optional<std::uint64_t> seed;
  double checkpoint_seconds = FitControl().checkpoint_seconds;
  StreamFormat format;
  bool resume = false;
  bool force = false;
  bool is_dry = false;
  Reporting reporting;
  ConfigOptions config;
  std::string command;  // as it was typed
  Launch launch;

  /// A launcher also starts again what was refused, or lost before it began: then nothing there is its own.
  [[nodiscard]] bool resumes() const {
    return resume || (launch.is_restart && is_checkpoint_of(checkpoint(), launched_run()));
  }
  [[nodiscard]] std::filesystem::path checkpoint() const { return model + ".checkpoint"; }
};

/// What a fit has come to.
struct Summary {
  std::string model;
  std::size_t cases = 0;
  std::size_t classes = 0;
  std::int64_t members = 0;
  std::int64_t epochs = 0;  // of the member with the most
  double shrinkage = 0.0;
  std::optional<double> accuracy;  // of the training series; none without labels
  std::uint64_t seed = 0;
  double seconds = 0.0;
};

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Whether there is nothing left to do for a fit that is to go on: a script that is started again has its model. To go
/// on without a checkpoint would be to train another, and to replace it.
bool is_finished(const FitOptions& options) {
  return options.resume && !options.force && !std::filesystem::exists(options.checkpoint()) &&
         is_model_file(options.model);
}

void refuse_to_lose(const FitOptions& options) {
  require_other_file("--output", options.model, {options.training});
  require_place_for(options.model);
  if (options.force || is_finished(options)) return;
  if (std::filesystem::exists(options.checkpoint())) {
    if (options.resumes()) return;
    throw std::runtime_error(message("fit: ", options.checkpoint().string(),
                                     " holds a fit that was not finished; go on with --resume, or begin again with "
                                     "--force"));
  }
  if (std::filesystem::exists(options.model)) {
    throw std::runtime_error(message("fit: ", options.model, " exists; --force replaces it"));
  }
}

/// The seed of the fit that a checkpoint is of.
std::optional<std::uint64_t> checkpointed_seed(const std::filesystem::path& checkpoint) {
  if (!std::filesystem::is_directory(checkpoint)) return std::nullopt;
  for (const auto& entry : std::filesystem::directory_iterator(checkpoint)) {
    if (entry.path().extension() != ".safetensors") continue;
    const TensorFile file = read_tensor_file(entry.path());
    require_digest(file, entry.path().string());
    const auto seed = file.metadata.find("seed");
    if (seed != file.metadata.end()) return std::stoull(seed->second);
  }
  return std::nullopt;
}

std::uint64_t seed_of(const FitOptions& options) {
  if (options.seed) return *options.seed;
  const std::optional<std::uint64_t> before =
      options.resumes() ? checkpointed_seed(options.checkpoint()) : std::nullopt;
  return before ? *before : drawn_seed();
}

/// The processes that were started together. A launcher that nobody has answered would get as many fits, all into one
/// file.
Group joined(const Launch& launch) {
  if (!launch.group.empty()) return Group::named(launch.group);
  const char* const processes = std::getenv("WORLD_SIZE");
  if (std::getenv("TORCHELASTIC_RUN_ID") != nullptr && processes != nullptr && std::string_view(processes) != "1") {
    throw std::runtime_error(message("fit: torchrun has started ", processes,
                                     " processes, which this program cannot join; start it as torchrun ... -m diffeo "
                                     "fit ..."));
  }
  return {};
}

void refuse_what_needs_one_process(const FitOptions& options, const Group& group) {
  if (group.alone()) return;
  const auto refuse = [&](const char* what) {
    throw std::runtime_error(message("fit: ", what, ": expected one process, got ", group.size()));
  };
  if (options.is_dry) refuse("--dry-run");
  if (is_stream(options.training)) refuse("standard input");
}

/// The first process's, where no seed was given: every other would draw one of its own.
std::uint64_t common_seed(const FitOptions& options, const Group& group) {
  std::uint64_t seed = 0;
  group.together([&] { seed = group.is_first() ? seed_of(options) : options.seed.value_or(0); });
  return options.seed ? *options.seed : std::stoull(group.of_first(std::to_string(seed)));
}

std::size_t threads_of(const FitOptions& options, const Group& group) {
  if (options.arguments.threads > 0 || group.alone()) return options.arguments.threads;
  return std::max<std::size_t>(1, available_threads() / options.launch.processes_here);
}

std::string progress_text(const FitProgress& progress, bool is_labeled, double epochs_per_second) {
  const EpochRecord& record = progress.record;
  std::ostringstream text;
  text << std::setprecision(4);
  if (progress.members > 1) text << "member " << record.member + 1 << " of " << progress.members << ", ";
  text << "epoch " << record.epoch << " of " << progress.epochs << ", " << amount_text(epochs_per_second)
       << " epochs/s, " << duration_text(progress.seconds_left) << " left: loss " << record.loss << ", variance "
       << record.variance;
  if (record.warps != 0.0) text << ", warps " << record.warps;
  if (record.slopes != 0.0) text << ", slopes " << record.slopes;
  if (record.inverse_consistency != 0.0) text << ", inverse-consistent " << record.inverse_consistency;
  if (record.cross_entropy != 0.0) text << ", cross-entropy " << record.cross_entropy;
  if (record.recognition != 0.0) text << ", recognition " << record.recognition;
  text << ", prior " << record.prior;
  if (record.validation_loss != 0.0) text << ", validation " << record.validation_loss;
  if (is_labeled) text << ", accuracy " << record.accuracy;
  return text.str();
}

/// Trains until done or interrupted, which is a failure that says how to go on.
void train(TemporalAligner& aligner, const Dataset& training, const FitOptions& options, const Group& group) {
  const Interruption interruption;
  std::string where = "the first epoch";
  try {
    ProgressLine line(options.reporting.quiet);
    const Clock::time_point start = Clock::now();
    double epochs = 0.0;
    FitControl control;
    control.checkpoint = options.checkpoint();
    control.checkpoint_seconds = options.checkpoint_seconds;
    control.resume = options.resumes();
    control.run = launched_run();
    control.threads = threads_of(options, group);
    control.group = group;
    control.stop = [&] { return interruption.requested(); };
    control.callback = [&](const FitProgress& progress) {
      where = message("epoch ", progress.record.epoch + 1, " of ", progress.epochs);
      line.show(progress_text(progress, training.labeled(), ++epochs / seconds_since(start)), progress.done);
    };
    aligner.fit(training, control);
  } catch (const Interrupted& problem) {
    if (!group.is_first()) throw FailedElsewhere(problem.what());  // the first says it for all
    if (!std::filesystem::is_directory(options.checkpoint())) {
      throw std::runtime_error("interrupted before the first checkpoint: nothing was kept");
    }
    const std::string again = group.alone() ? message(": ", with_option(options.command, "--resume"))
                                            : std::string(" the same command and --resume");
    throw std::runtime_error(message("interrupted in ", where, "; go on with", again));
  } catch (const NonFiniteLoss& problem) {
    if (!group.is_first()) throw FailedElsewhere(problem.what());
    throw;
  }
}

std::optional<double> training_accuracy(const std::shared_ptr<TemporalAligner>& aligner, const Dataset& training,
                                        const Group& group) {
  if (!training.labeled()) return std::nullopt;
  const double own = NearestCentroid::from_centroids(aligner->comparison_centroids(), aligner).score(training);
  if (group.alone()) return own;
  const auto cases = static_cast<double>(training.cases());
  return group.sum(own * cases) / group.sum(cases);
}

Summary summary_of(const std::shared_ptr<TemporalAligner>& aligner, const Dataset& training, const Group& group) {
  Summary summary;
  summary.cases = static_cast<std::size_t>(group.sum(static_cast<double>(training.cases())));
  summary.classes = training.labeled() ? aligner->centroids().cases() : 0;
  std::set<std::int64_t> members;  // without classes, those that tell them apart do not train
  for (const EpochRecord& record : aligner->history()) {
    if (record.member < member_count(aligner->options())) members.insert(record.member);
    summary.epochs = std::max(summary.epochs, record.epoch);
  }
  summary.members = static_cast<std::int64_t>(members.size());
  summary.shrinkage = aligner->shrinkage();
  summary.accuracy = training_accuracy(aligner, training, group);
  summary.seed = aligner->seed();
  return summary;
}

void print_json(const Summary& summary) {
  nlohmann::ordered_json document = {{"model", summary.model},     {"cases", summary.cases},
                                     {"classes", summary.classes}, {"members", summary.members},
                                     {"epochs", summary.epochs},   {"shrinkage", summary.shrinkage}};
  document["train_accuracy"] =
      summary.accuracy ? nlohmann::ordered_json(*summary.accuracy) : nlohmann::ordered_json(nullptr);
  document["seed"] = summary.seed;
  document["seconds"] = summary.seconds;
  std::cout << files::json_line(document) << '\n';
}

void print_line(const Summary& summary) {
  const auto counted = [](auto count, const char* one, const char* several) {
    return message(count, " ", count == 1 ? one : several);
  };
  std::ostringstream line;
  line << std::setprecision(4) << summary.model << ": " << counted(summary.cases, "case", "cases") << ", "
       << (summary.accuracy ? counted(summary.classes, "class", "classes") : "no labels") << ", "
       << counted(summary.members, "member", "members") << ", " << counted(summary.epochs, "epoch", "epochs")
       << ", shrinkage " << summary.shrinkage;
  if (summary.accuracy) line << ", training accuracy " << *summary.accuracy;
  line << ", seed " << summary.seed << ", " << std::fixed << std::setprecision(1) << summary.seconds << " s\n";
  std::cout << line.str();
}

void print_trial(const FitOptions& options, const Dataset& training, const Trial& trial) {
  const SeriesOutline outline = outline_of(training);
  if (options.reporting.json) {
    const nlohmann::ordered_json document = {{"model", options.model},
                                             {"dry_run", true},
                                             {"cases", outline.cases},
                                             {"channels", outline.channels},
                                             {"shortest", outline.shortest},
                                             {"longest", outline.longest},
                                             {"aligned_length", trial.aligned_length},
                                             {"classes", outline.class_names},
                                             {"members", trial.members},
                                             {"epochs", trial.epochs},
                                             {"parameters", trial.parameters},
                                             {"seconds_per_epoch", trial.seconds_per_epoch},
                                             {"seconds", trial.seconds},
                                             {"memory_bytes", trial.memory_bytes}};
    std::cout << files::json_line(document) << '\n';
    return;
  }
  const std::string at_least = trial.is_measured ? "" : "more than ";
  std::cout << "would fit " << options.model << ": nothing was written\n"
            << "series      " << size_text(outline) << ", aligned to " << trial.aligned_length << '\n'
            << "classes     " << (outline.labeled ? std::to_string(outline.class_names.size()) : "none: no labels")
            << '\n'
            << "networks    " << trial.members << ", with " << trial.parameters << " parameters\n"
            << "epochs      " << trial.epochs << ", " << at_least << amount_text(trial.seconds_per_epoch) << " s each\n"
            << "time        " << at_least << duration_text(trial.seconds) << '\n'
            << "memory      " << amount_text(trial.memory_bytes) << " bytes\n";
}

/// The options as a configuration keeps them: what the preset and the seed came to.
std::map<std::string, std::string> resolved(const FitOptions& options, std::uint64_t seed) {
  std::map<std::string, std::string> values = {{"seed", std::to_string(seed)}};
  for (const Hyperparameter& each : hyperparameters()) {
    std::string key(each.name);
    std::ranges::replace(key, '_', '-');
    values[key] = hyperparameter_text(options.arguments.options, each);
  }
  return values;
}

void fit(const CLI::App& verb, FitOptions options) {
  const Clock::time_point start = Clock::now();
  const Group group = joined(options.launch);
  options.reporting.quiet |= !group.is_first();
  bool is_done = false;
  group.together([&] {
    refuse_what_needs_one_process(options, group);
    if (options.is_dry || !group.is_first()) return;
    refuse_to_lose(options);
    require_saveable(options.config);
    is_done = is_finished(options);
  });
  if (group.of_first(is_done ? "done" : "") == "done") {  // the others do not look at files that the first may change
    options.reporting.remark(options.model + " is finished; there is nothing to resume");
    return;
  }
  std::string layout;
  const Dataset training = read_share(options.training, options.format.reading(options.training, layout), group);
  tell_layout(options.training, layout, options.reporting);
  options.reporting.detail("read " + size_text(outline_of(training)));
  const auto aligner = std::make_shared<TemporalAligner>(options.arguments.options, common_seed(options, group));
  try {
    if (options.is_dry) {
      print_trial(options, training, trial_fit(*aligner, training, options.arguments.threads));
      return;
    }
    if (!options.seed) options.reporting.remark(message("seed ", aligner->seed()));
    train(*aligner, training, options, group);
  } catch (const std::invalid_argument& problem) {
    throw FileError({shown_input_name(options.training)}, problem.what());
  }
  Summary summary = summary_of(aligner, training, group);
  group.together([&] {
    if (group.is_first()) aligner->save(options.model);
  });
  if (!group.is_first()) return;
  save_config(verb, options.config, resolved(options, aligner->seed()));
  summary.model = options.model;
  summary.seconds = seconds_since(start);
  options.reporting.json ? print_json(summary) : print_line(summary);
  // Last of all: whoever is killed before, or cannot print, finds it still there, and comes to the same model again.
  if (std::cout.flush()) remove_checkpoint(options.checkpoint());
}

}  // namespace

void add_fit(CLI::App& program, Action& action, const std::string& command, const Launch& launch) {
  CLI::App* verb = program.add_subcommand("fit", "Train an aligner on a set of series");
  verb->group("Verbs");
  const auto options = std::make_shared<FitOptions>();
  options->command = command;
  options->launch = launch;
  verb->add_option("training", options->training, "Series to learn from, or -, with or without labels")
      ->required()
      ->type_name("TRAIN");
  verb->add_option("-o,--output", options->model, "The model to write; training keeps its state in MODEL.checkpoint")
      ->required()
      ->type_name("MODEL");
  verb->add_flag("--resume", options->resume,
                 "Go on where a fit with the same options was killed or interrupted; what is finished stays");
  verb->add_flag("--force", options->force, "Replace a model, or begin again, where something is there already");
  verb->add_option("--checkpoint-seconds", options->checkpoint_seconds, "Time between checkpoints; 0: every epoch")
      ->check(CLI::Range(0.0, 1e9).description(""))
      ->type_name("X")
      ->capture_default_str();
  verb->add_option("--seed", options->seed, "The same seed gives the same model; drawn and printed if not given")
      ->check(whole_seed())
      ->type_name("S");
  verb->add_flag("--dry-run", options->is_dry,
                 "Train for a few seconds only, write nothing, and say what the fit would take: time, memory, size");
  add_reading(*verb, options->format, options->reporting);
  add_table_options(*verb, options->format);
  add_reporting(*verb, options->reporting, "Say what was made as JSON");
  add_config_options(*verb, options->config);
  add_training_options(*verb, options->arguments);
  verb->callback([options, verb, &action] {
    options->arguments.resolve();
    action = [options, verb] { fit(*verb, *options); };
  });
}

}  // namespace diffeo::cli
