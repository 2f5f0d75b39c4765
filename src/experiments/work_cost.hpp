// How long pieces of work take: enough to begin with the longest and to guess when all is done.
//
//   WorkCosts costs(archive, items);
//   costs.learn(result);                      // how many seconds a unit of this method's cost took
//   double seconds = costs.of(item) * costs.seconds_per_unit(item.method);
//
// What a piece of work costs is known up to a factor, which depends on the method, the machine and the threads: it is
// measured on the results there are. A method without results is given that of all others together.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "diffeo/archive.hpp"
#include "diffeo/evaluation_result.hpp"
#include "diffeo/training_options.hpp"

namespace diffeo {

/// The options of a work item with a network.
[[nodiscard]] TrainingOptions training_options(const WorkItem& item);

/// Of the folds of a cross-validation, how many are held out in turn.
[[nodiscard]] std::size_t folds_predicted(const WorkItem& item);

/// In no particular unit; at least 1 for a training set that has values.
[[nodiscard]] double work_cost(const WorkItem& item, std::size_t case_count, std::size_t longest);

class WorkCosts {
 public:
  /// Looks at the sizes of the training sets of the items.
  WorkCosts(const Archive& archive, const std::vector<WorkItem>& items);

  [[nodiscard]] double of(const WorkItem& item) const;
  /// Failures teach nothing, nor do results of other data sets or of options that there are no longer.
  void learn(const EvaluationResult& result);
  /// Whether anything was learnt.
  [[nodiscard]] bool is_measured() const noexcept { return all_.cost > 0.0 && all_.seconds > 0.0; }
  /// 1 where nothing was learnt.
  [[nodiscard]] double seconds_per_unit(const std::string& method) const;

 private:
  struct Measured {
    double seconds = 0.0;
    double cost = 0.0;
  };

  std::map<std::string, std::pair<std::size_t, std::size_t>> sizes_;  // cases and longest of every training set
  std::map<std::string, Measured> measured_;                          // by method
  Measured all_;
};

}  // namespace diffeo
