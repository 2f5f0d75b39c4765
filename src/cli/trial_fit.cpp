#include "cli/trial_fit.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <optional>

namespace diffeo::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kEnough = 2.0;           // seconds, once an epoch has been seen
constexpr double kPatience = 30.0;        // seconds, for the first
constexpr double kBytesPerUnit = 1024.0;  // of ru_maxrss

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

double most_resident() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * kBytesPerUnit;
}

}  // namespace

Trial trial_fit(const TemporalAligner& aligner, const Dataset& training, std::size_t threads) {
  const TrainingOptions& options = aligner.options();
  Trial trial;
  trial.aligned_length = options.length > 0 ? static_cast<std::size_t>(options.length) : training.longest();
  const Clock::time_point start = Clock::now();
  Clock::time_point last = start;
  std::optional<Clock::time_point> first;  // that an epoch was seen: series may have been aligned before
  std::int64_t member = 0;
  FitControl control;
  control.threads = threads;
  control.callback = [&](const FitProgress& progress) {
    if (!first) first = Clock::now(), member = progress.record.member;
    if (progress.record.member == member) {
      const double seconds = seconds_since(last);
      trial.seconds_per_epoch = trial.is_measured ? std::min(trial.seconds_per_epoch, seconds) : seconds;
      trial.is_measured = true;
      trial.epochs = progress.epochs;
      last = Clock::now();
    }
    trial.members = progress.members;
    trial.seconds = seconds_since(start) + progress.seconds_left;
  };
  control.stop = [&] { return first ? seconds_since(*first) > kEnough : seconds_since(start) > kPatience; };
  try {
    TemporalAligner(options, aligner.seed()).fit(training, control);
  } catch (const Interrupted&) {
    // as was asked for
  }
  if (!trial.is_measured) trial.seconds_per_epoch = trial.seconds = seconds_since(start);
  const std::size_t classes = training.labeled() ? training.class_names().size() : 1;
  trial.parameters = parameter_count(options, training.channels(), trial.aligned_length, classes);
  trial.memory_bytes = most_resident();
  return trial;
}

}  // namespace diffeo::cli
