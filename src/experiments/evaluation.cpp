#include "diffeo/evaluation.hpp"

#include <string.h>

#include <algorithm>
#include <stdexcept>

#include "diffeo/error.hpp"
#include "experiments/work_cost.hpp"
#include "experiments/worker.hpp"
#include "experiments/worker_processes.hpp"

namespace diffeo {
namespace {

constexpr std::chrono::milliseconds kWatchInterval{200};
/// Killed once, a process may have been in somebody's way; twice, it was the work.
constexpr std::size_t kMostDeaths = 2;

struct Costed {
  const WorkItem* item;
  double cost;
};

class Evaluation {
 public:
  Evaluation(const std::vector<WorkItem>& items, const Archive& archive, ResultStore& store,
             const EvaluationControl& control)
      : asked_(items.begin(), items.end()),
        archive_(archive),
        store_(store),
        control_(control),
        costs_(archive, items) {
    store_.refresh();
    for (const EvaluationResult& each : store_.results()) costs_.learn(each);
    seen_ = store_.results().size();
    for (const WorkItem& item : asked_) {
      if (!store_.contains(item)) work_.push_back({&item, costs_.of(item)});
    }
    std::ranges::stable_sort(work_, std::ranges::greater(), [this](const Costed& each) { return seconds(each); });
  }

  bool run() {
    if (work_.empty()) return true;
    report(nullptr);  // the longest work comes first: the next report may be minutes away
    // Whoever asks for processes gets one for a single piece of work too: children of a process that has trained
    // networks itself may find their libraries in a state that does not survive fork().
    const bool is_done = control_.jobs <= 1 ? work_here() : work_in_processes(std::min(control_.jobs, work_.size()));
    store_.settle();
    tell();
    return is_done;
  }

 private:
  [[nodiscard]] double seconds(const Costed& each) const {
    return each.cost * costs_.seconds_per_unit(each.item->method);
  }
  [[nodiscard]] bool stopped() const { return control_.stop && control_.stop(); }

  [[nodiscard]] WorkerTask task() {
    WorkerTask result;
    for (const Costed& each : work_) result.items.push_back(each.item);
    result.archive = &archive_;
    result.store = &store_;
    result.control = control_;
    return result;
  }

  bool work_here() {
    WorkerTask own = task();
    own.looked = [this] { tell(); };
    return work_until_done(own);
  }

  /// What a child does: it sees a copy of this object.
  void be_worker(const WorkerLine& line) {
    WorkerTask own = task();
    own.begins = [&line](std::size_t item) { line.begins(item); };
    own.control.stop = [this, &line] { return line.is_orphan() || stopped(); };
    work_until_done(own);
  }

  bool work_in_processes(std::size_t jobs) {
    WorkerProcesses workers(jobs, [this](const WorkerLine& line) { be_worker(line); });
    bool is_stopping = false;
    while (workers.alive() > 0) {
      for (const WorkerEnd& end : workers.wait(kWatchInterval)) look_after(end, workers, is_stopping);
      store_.refresh();
      tell();
      if (!is_stopping && stopped()) {
        is_stopping = true;
        workers.stop();
      }
    }
    return std::ranges::all_of(work_, [this](const Costed& each) { return store_.contains(*each.item); });
  }

  void look_after(const WorkerEnd& end, WorkerProcesses& workers, bool is_stopping) {
    if (!end.problem.empty()) throw std::runtime_error(end.problem);
    if (end.signal == 0 || is_stopping || stopped()) return;
    if (end.item && ++deaths_[*end.item] >= kMostDeaths) {
      EvaluationResult result = signed_result(*work_[*end.item].item, control_);
      result.error = message("the process that worked on it was ended ", kMostDeaths, " times, by signal ", end.signal,
                             " (", strsignal(end.signal), ")");
      store_.add(result);
    }
    workers.start();
  }

  /// About results that are new, whoever made them.
  void tell() {
    for (; seen_ < store_.results().size(); ++seen_) {
      const EvaluationResult& result = store_.results()[seen_];
      if (!asked_.contains(result.item)) continue;
      costs_.learn(result);
      report(&result);
    }
  }

  void report(const EvaluationResult* latest) const {
    if (!control_.callback) return;
    const auto [left, seconds_left] = remaining();
    control_.callback({latest, asked_.size() - left, asked_.size(), seconds_left});
  }

  /// How many have no result among those that were told of, and how long they take as far as that is known.
  [[nodiscard]] std::pair<std::size_t, std::optional<double>> remaining() const {
    std::size_t left = 0;
    double sum = 0.0;
    double longest = 0.0;
    for (const Costed& each : work_) {
      if (store_.contains(*each.item)) continue;
      ++left;
      sum += seconds(each);
      longest = std::max(longest, seconds(each));
    }
    if (left > 0 && !costs_.is_measured()) return {left, std::nullopt};
    return {left, std::max(longest, sum / static_cast<double>(std::max<std::size_t>(1, control_.jobs)))};
  }

  std::set<WorkItem> asked_;
  const Archive& archive_;
  ResultStore& store_;
  const EvaluationControl& control_;
  WorkCosts costs_;
  std::vector<Costed> work_;  // what had no result at the start, the longest first
  std::size_t seen_ = 0;      // of the store's results
  std::map<std::size_t, std::size_t> deaths_;
};

}  // namespace

std::vector<double> expected_seconds(const std::vector<WorkItem>& items, const Archive& archive,
                                     const std::vector<EvaluationResult>& results) {
  WorkCosts costs(archive, items);
  for (const EvaluationResult& each : results) costs.learn(each);
  std::vector<double> seconds;
  for (const WorkItem& item : items) seconds.push_back(costs.of(item) * costs.seconds_per_unit(item.method));
  return seconds;
}

bool evaluate(const std::vector<WorkItem>& items, const Archive& archive, ResultStore& store,
              const EvaluationControl& control) {
  return Evaluation(items, archive, store, control).run();
}

}  // namespace diffeo
