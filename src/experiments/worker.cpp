#include "experiments/worker.hpp"

#include <chrono>
#include <ctime>
#include <exception>
#include <thread>

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

// How often to look whether others are done, and whether somebody wants us to stop meanwhile.
constexpr std::chrono::milliseconds kLookInterval{400};
constexpr std::chrono::milliseconds kStopInterval{50};

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

class Worker {
 public:
  explicit Worker(const WorkerTask& task) : task_(task), has_result_(task.items.size(), false) {}

  bool run() {
    while (!stopped()) {
      look();
      if (left_ == 0) return true;
      if (do_one()) continue;
      if (!task_.control.wait) return false;
      pause();
    }
    return false;
  }

 private:
  [[nodiscard]] bool stopped() const { return task_.control.stop && task_.control.stop(); }

  void look() {
    task_.store->refresh();
    left_ = 0;
    for (std::size_t i = 0; i < has_result_.size(); ++i) {
      if (!has_result_[i]) has_result_[i] = task_.store->contains(*task_.items[i]);
      if (!has_result_[i]) ++left_;
    }
    if (task_.looked) task_.looked();
  }

  /// False where others hold everything that is left.
  bool do_one() {
    for (std::size_t i = 0; i < has_result_.size(); ++i) {
      if (has_result_[i]) continue;
      std::optional<WorkClaim> claim = task_.store->claim(*task_.items[i]);
      if (!claim) continue;
      task_.store->refresh();  // whoever held it before may have finished it
      if (!task_.store->contains(*task_.items[i]) && !work_on(i)) return true;
      claim->finish();
      return true;
    }
    return false;
  }

  /// False where it was stopped.
  bool work_on(std::size_t index) {
    if (task_.begins) task_.begins(index);
    const std::optional<EvaluationResult> result =
        outcome_of(*task_.items[index], *task_.archive, task_.store->directory(), task_.control);
    if (result) task_.store->add(*result);
    return result.has_value();
  }

  void pause() const {
    const Clock::time_point end = Clock::now() + kLookInterval;
    while (Clock::now() < end && !stopped()) std::this_thread::sleep_for(kStopInterval);
  }

  const WorkerTask& task_;
  std::vector<bool> has_result_;
  std::size_t left_ = 0;
};

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
    error = problem.what();
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

bool work_until_done(const WorkerTask& task) { return Worker(task).run(); }

}  // namespace diffeo
