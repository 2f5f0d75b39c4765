#include "experiments/work_outcome.hpp"

#include <chrono>
#include <ctime>
#include <exception>

#include "data/printable.hpp"
#include "diffeo/threads.hpp"
#include "diffeo/version.hpp"
#include "experiments/alignment_picture.hpp"
#include "experiments/commit.hpp"
#include "experiments/measurements.hpp"
#include "experiments/processor_model.hpp"
#include "experiments/processor_time.hpp"

namespace diffeo {
namespace {

using Clock = std::chrono::steady_clock;

std::string now_as_text() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[sizeof("2026-01-31T12:00:00Z")];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

LookAtAligned picture_taker(const WorkItem& item, const std::filesystem::path& directory,
                            const EvaluationControl& control) {
  const bool is_wanted =
      control.pictures_of_seed && item.method == "diffeo" && item.seed == control.pictures_of_seed && item.folds == 0;
  if (!is_wanted) return {};
  return [&item, directory](const Dataset& before, const Dataset& after) {
    keep_alignment_picture(directory, item, before, after);
  };
}

}  // namespace

EvaluationResult signed_result(const WorkItem& item, const EvaluationControl& control) {
  EvaluationResult result;
  result.item = item;
  result.version = version();
  result.commit = commit();
  result.threads = control.threads == 0 ? available_threads() : control.threads;
  result.processor = processor_model();
  result.date = now_as_text();
  return result;
}

std::optional<EvaluationResult> outcome_of(const WorkItem& item, const Archive& archive,
                                           const std::filesystem::path& directory, const EvaluationControl& control) {
  const Clock::time_point start = Clock::now();
  const double processor_start = processor_seconds();
  Measurements found;
  std::string error;
  try {
    found = measurements(item, archive, control, picture_taker(item, directory, control));
  } catch (const std::exception& problem) {
    if (control.stop && control.stop()) return std::nullopt;
    error = files::problem_text(problem);
  }
  EvaluationResult result = signed_result(item, control);
  result.train_accuracy = found.train_accuracy;
  result.cv_accuracy = found.cv_accuracy;
  result.test_accuracy = found.test_accuracy;
  result.variance_before = found.variance_before;
  result.variance_after = found.variance_after;
  result.alignment = found.alignment;
  result.training_seconds = found.training_seconds;
  result.error = error;
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  result.cpu_seconds = processor_seconds() - processor_start;
  return result;
}

}  // namespace diffeo
