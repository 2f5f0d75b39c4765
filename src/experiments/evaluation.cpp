#include "diffeo/evaluation.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "diffeo/threads.hpp"
#include "diffeo/version.hpp"
#include "experiments/accuracies.hpp"
#include "experiments/commit.hpp"
#include "experiments/work_cost.hpp"

namespace diffeo {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string now_as_text() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[sizeof("2026-01-31T12:00:00Z")];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

struct Costed {
  const WorkItem* item;
  double cost;
};

/// What is not in the store yet, the longest first.
std::vector<Costed> missing(const std::vector<WorkItem>& items, const Archive& archive, const ResultStore& store) {
  std::map<std::string, std::pair<std::size_t, std::size_t>> sizes;  // cases and longest of every training set
  std::vector<Costed> result;
  for (const WorkItem& item : items) {
    if (store.contains(item)) continue;
    if (!sizes.contains(item.dataset)) {
      try {
        const Dataset training = archive.training(item.dataset);
        sizes[item.dataset] = {training.cases(), training.longest()};
      } catch (const std::exception&) {
        sizes[item.dataset] = {1, 1};  // whoever does the work will say what is wrong
      }
    }
    const auto [cases, longest] = sizes[item.dataset];
    result.push_back({&item, work_cost(item, cases, longest)});
  }
  std::ranges::stable_sort(result, std::ranges::greater(), &Costed::cost);
  return result;
}

class Evaluation {
 public:
  Evaluation(std::vector<Costed> work, std::size_t done, const Archive& archive, ResultStore& store,
             const EvaluationControl& control)
      : work_(std::move(work)), done_(done), archive_(archive), store_(store), control_(control) {
    for (const Costed& each : work_) cost_left_ += each.cost;
  }

  bool run() {
    {
      std::vector<std::jthread> pool;
      const std::size_t jobs = std::clamp<std::size_t>(control_.jobs, 1, std::max<std::size_t>(1, work_.size()));
      for (std::size_t job = 0; job < jobs; ++job) pool.emplace_back([this] { work(); });
    }
    if (failure_) std::rethrow_exception(failure_);
    return finished_ == work_.size();
  }

 private:
  void work() noexcept {
    try {
      while (const Costed* next = take()) {
        const std::optional<EvaluationResult> result = outcome(*next->item);
        if (result) record(*result, next->cost);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

  [[nodiscard]] bool stopped() const { return control_.stop && control_.stop(); }

  const Costed* take() {
    const std::lock_guard lock(mutex_);
    return next_ == work_.size() || failure_ || stopped() ? nullptr : &work_[next_++];
  }

  /// Nothing where the work was interrupted.
  [[nodiscard]] std::optional<EvaluationResult> outcome(const WorkItem& item) const {
    EvaluationResult result;
    result.item = item;
    const Clock::time_point start = Clock::now();
    try {
      const Accuracies found = accuracies(item, archive_, control_);
      result.train_accuracy = found.train;
      result.cv_accuracy = found.cv;
      result.test_accuracy = found.test;
    } catch (const std::exception& problem) {
      if (stopped()) return std::nullopt;
      result.error = problem.what();
    }
    result.seconds = seconds_since(start);
    result.version = version();
    result.commit = commit();
    result.threads = control_.threads == 0 ? available_threads() : control_.threads;
    result.date = now_as_text();
    return result;
  }

  void record(const EvaluationResult& result, double cost) {
    const std::lock_guard lock(mutex_);
    store_.add(result);
    ++finished_;
    cost_done_ += cost;
    cost_left_ -= cost;
    if (!control_.callback) return;
    const double seconds_left = seconds_since(start_) * std::max(0.0, cost_left_) / cost_done_;
    control_.callback({result, done_ + finished_, done_ + work_.size(), seconds_left});
  }

  std::vector<Costed> work_;
  std::size_t done_;  // before
  const Archive& archive_;
  ResultStore& store_;
  const EvaluationControl& control_;
  Clock::time_point start_ = Clock::now();
  std::mutex mutex_;  // of all below
  std::size_t next_ = 0;
  std::size_t finished_ = 0;
  double cost_done_ = 0.0;
  double cost_left_ = 0.0;
  std::exception_ptr failure_;
};

}  // namespace

bool evaluate(const std::vector<WorkItem>& items, const Archive& archive, ResultStore& store,
              const EvaluationControl& control) {
  std::vector<Costed> work = missing(items, archive, store);
  const std::size_t done = items.size() - work.size();
  return Evaluation(std::move(work), done, archive, store, control).run();
}

}  // namespace diffeo
