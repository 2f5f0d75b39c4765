// diffeo fit: an aligner with a network, trained on a file of series, into a model file.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>

#include "cli/interruption.hpp"
#include "cli/progress_line.hpp"
#include "cli/seed.hpp"
#include "cli/training_arguments.hpp"
#include "cli/typed_command.hpp"
#include "cli/verb.hpp"
#include "diffeo/error.hpp"
#include "diffeo/files.hpp"
#include "diffeo/nearest_centroid.hpp"
#include "diffeo/tensor_file.hpp"
#include "diffeo/torch/temporal_aligner.hpp"

namespace diffeo::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct FitOptions {
  std::string training;
  std::string model;
  TrainingArguments arguments;
  std::optional<std::uint64_t> seed;
  double checkpoint_seconds = FitControl().checkpoint_seconds;
  bool resume = false;
  bool force = false;
  bool quiet = false;
  bool json = false;
  std::string command;  // as it was typed

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

void refuse_to_lose(const FitOptions& options) {
  if (options.force || options.resume) return;
  if (std::filesystem::exists(options.checkpoint())) {
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
    const auto seed = file.metadata.find("seed");
    if (seed != file.metadata.end()) return std::stoull(seed->second);
  }
  return std::nullopt;
}

std::uint64_t seed_of(const FitOptions& options) {
  if (options.seed) return *options.seed;
  const std::optional<std::uint64_t> before = options.resume ? checkpointed_seed(options.checkpoint()) : std::nullopt;
  return before ? *before : drawn_seed();
}

std::string progress_text(const FitProgress& progress, bool is_labelled) {
  const EpochRecord& record = progress.record;
  std::ostringstream text;
  text << std::setprecision(4);
  if (progress.members > 1) text << "member " << record.member + 1 << " of " << progress.members << ", ";
  text << "epoch " << record.epoch << " of " << progress.epochs << ": loss " << record.loss << ", variance "
       << record.variance;
  if (record.inverse_consistency != 0.0) text << ", inverse-consistent " << record.inverse_consistency;
  if (record.cross_entropy != 0.0) text << ", cross-entropy " << record.cross_entropy;
  text << ", prior " << record.prior;
  if (record.validation_loss != 0.0) text << ", validation " << record.validation_loss;
  if (is_labelled) text << ", accuracy " << record.accuracy;
  text << "; " << duration_text(progress.seconds_left) << " left";
  return text.str();
}

/// Trains until done or interrupted, which is a failure that says how to go on.
void train(TemporalAligner& aligner, const Dataset& training, const FitOptions& options) {
  const Interruption interruption;
  std::string where = "the first epoch";
  try {
    ProgressLine line(options.quiet);
    FitControl control;
    control.checkpoint = options.checkpoint();
    control.checkpoint_seconds = options.checkpoint_seconds;
    control.resume = options.resume;
    control.threads = options.arguments.threads;
    control.stop = [&] { return interruption.requested(); };
    control.callback = [&](const FitProgress& progress) {
      where = message("epoch ", progress.record.epoch + 1, " of ", progress.epochs);
      line.show(progress_text(progress, training.labelled()));
    };
    aligner.fit(training, control);
  } catch (const Interrupted&) {
    throw std::runtime_error(
        message("interrupted in ", where, "; go on with: ", with_option(options.command, "--resume")));
  }
}

std::optional<double> training_accuracy(const std::shared_ptr<TemporalAligner>& aligner, const Dataset& training) {
  if (!training.labelled()) return std::nullopt;
  return NearestCentroid::from_centroids(aligner->centroids(), aligner).score(training);
}

Summary summary_of(const std::shared_ptr<TemporalAligner>& aligner, const Dataset& training, double seconds) {
  Summary summary;
  summary.cases = training.cases();
  summary.classes = training.labelled() ? aligner->centroids().cases() : 0;
  summary.members = aligner->options().members;
  for (const EpochRecord& record : aligner->history()) summary.epochs = std::max(summary.epochs, record.epoch);
  summary.shrinkage = aligner->shrinkage();
  summary.accuracy = training_accuracy(aligner, training);
  summary.seed = aligner->seed();
  summary.seconds = seconds;
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
  std::cout << document.dump() << '\n';
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

void fit(const FitOptions& options) {
  const Clock::time_point start = Clock::now();
  refuse_to_lose(options);
  const Dataset training = read_dataset(options.training);
  const auto aligner = std::make_shared<TemporalAligner>(options.arguments.options, seed_of(options));
  if (!options.seed && !options.quiet) std::cerr << "seed " << aligner->seed() << std::endl;
  train(*aligner, training, options);
  aligner->save(options.model);
  remove_checkpoint(options.checkpoint());
  Summary summary = summary_of(aligner, training, std::chrono::duration<double>(Clock::now() - start).count());
  summary.model = options.model;
  options.json ? print_json(summary) : print_line(summary);
}

}  // namespace

void add_fit(CLI::App& program, Action& action, const std::string& command) {
  CLI::App* verb = program.add_subcommand("fit", "Train an aligner on a set of series");
  verb->group("Verbs");
  const auto options = std::make_shared<FitOptions>();
  options->command = command;
  verb->add_option("training", options->training, "Series to learn from, with or without labels")
      ->required()
      ->type_name("TRAIN");
  verb->add_option("-o,--output", options->model, "The model to write; training keeps its state in MODEL.checkpoint")
      ->required()
      ->type_name("MODEL");
  verb->add_flag("--resume", options->resume, "Go on where a fit with the same options was killed or interrupted");
  verb->add_flag("--force", options->force, "Replace a model, or begin again, where something is there already");
  verb->add_option("--checkpoint-seconds", options->checkpoint_seconds, "Time between checkpoints; 0: every epoch")
      ->check(CLI::Range(0.0, 1e9).description(""))
      ->type_name("X")
      ->capture_default_str();
  verb->add_option("--seed", options->seed, "The same seed gives the same model; drawn and printed if not given")
      ->type_name("S");
  verb->add_flag("--quiet", options->quiet, "No progress on stderr");
  verb->add_flag("--json", options->json, "Say what was made as JSON");
  add_training_options(*verb, options->arguments);
  verb->callback([options, &action] {
    options->arguments.resolve();
    action = [options] { fit(*options); };
  });
}

}  // namespace diffeo::cli
