#include "diffeo/evaluation.hpp"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <set>

#include "diffeo/error.hpp"
#include "experiments/work_cost.hpp"
#include "experiments/work_outcome.hpp"
#include "experiments/worker_processes.hpp"

namespace diffeo {
namespace {

constexpr std::chrono::milliseconds kWatchInterval{200};
/// A process that is killed once may have been in the way of others. Twice, it was the work.
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
    for (const EvaluationResult& each : store_.results()) costs_.learn(each);
    for (const WorkItem& item : asked_) {
      if (!store_.contains(item)) work_.push_back({&item, costs_.of(item)});
    }
    std::ranges::stable_sort(work_, std::ranges::greater(), [this](const Costed& each) { return seconds(each); });
  }

  bool run() {
    if (work_.empty()) return true;
    report(nullptr);  // the longest work comes first: the next report may be minutes away
    // Asked for several processes, even a single item gets one of its own: children of a process that has trained
    // networks itself may find their libraries in a state that does not survive fork().
    return control_.jobs <= 1 ? work_here() : work_in_processes();
  }

 private:
  [[nodiscard]] double seconds(const Costed& each) const {
    return each.cost * costs_.seconds_per_unit(each.item->method);
  }
  [[nodiscard]] bool stopped() const { return control_.stop && control_.stop(); }

  bool work_here() {
    for (const Costed& each : work_) {
      if (stopped()) return false;
      const std::optional<EvaluationResult> result = outcome_of(*each.item, archive_, store_.directory(), control_);
      if (!result) return false;
      keep(*result);
    }
    return true;
  }

  bool work_in_processes() {
    std::deque<std::size_t> waiting(work_.size());
    std::iota(waiting.begin(), waiting.end(), std::size_t{0});
    WorkerProcesses workers([this, parent = getpid()](std::size_t place) { return line_of_child(place, parent); });
    while (workers.alive() > 0 || !(waiting.empty() || stopped())) {
      for (; !waiting.empty() && workers.alive() < control_.jobs && !stopped(); waiting.pop_front()) {
        workers.start(waiting.front());
      }
      for (const WorkerEnd& end : workers.wait(kWatchInterval)) {
        if (!is_settled(end)) waiting.push_front(end.item);
      }
      if (stopped()) workers.stop();
    }
    return std::ranges::all_of(work_, [this](const Costed& each) { return store_.contains(*each.item); });
  }

  /// In a child, which has a copy of this object: the result as a line, empty if it was stopped.
  std::string line_of_child(std::size_t place, pid_t parent) {
    store_.leave_lock_to_parent();
    EvaluationControl own = control_;
    own.stop = [this, parent] { return getppid() != parent || stopped(); };
    const std::optional<EvaluationResult> result = outcome_of(*work_[place].item, archive_, store_.directory(), own);
    return result ? to_line(*result) : "";
  }

  /// Keeps what came of an item. False if its process was killed and it should be tried again.
  bool is_settled(const WorkerEnd& end) {
    if (end.signal == 0 && !end.text.empty()) {
      keep(result_of_line(end.text));
      return true;
    }
    if (stopped() || ++deaths_[end.item] < kMostDeaths) return false;
    const int signal = end.signal == 0 ? SIGTERM : end.signal;  // without a result only if somebody asked it to stop
    EvaluationResult result = signed_result(*work_[end.item].item, control_);
    result.error = message("the process that worked on it was ended ", kMostDeaths, " times, by signal ", signal, " (",
                           strsignal(signal), ")");
    keep(result);
    return true;
  }

  void keep(const EvaluationResult& result) {
    store_.add(result);
    costs_.learn(result);
    report(&result);
  }

  void report(const EvaluationResult* latest) const {
    if (!control_.callback) return;
    const auto [left, seconds_left] = remaining();
    control_.callback({latest, asked_.size() - left, asked_.size(), seconds_left});
  }

  /// How many items have no result, and how long they take as far as that is known.
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
  std::vector<Costed> work_;                   // without a result at the start, the longest first
  std::map<std::size_t, std::size_t> deaths_;  // of processes, by place in work_
};

}  // namespace

std::vector<ExpectedCost> expected_costs(const std::vector<WorkItem>& items, const Archive& archive,
                                         const std::vector<EvaluationResult>& results) {
  WorkCosts costs(archive, items);
  for (const EvaluationResult& each : results) costs.learn(each);
  std::vector<ExpectedCost> expected;
  for (const WorkItem& item : items) {
    const double cost = costs.of(item) * costs.seconds_per_unit(item.method);
    expected.push_back({cost, costs.is_measured() ? std::optional(cost) : std::nullopt});
  }
  return expected;
}

bool evaluate(const std::vector<WorkItem>& items, const Archive& archive, ResultStore& store,
              const EvaluationControl& control) {
  return Evaluation(items, archive, store, control).run();
}

}  // namespace diffeo
