// The pieces of work of a search for hyper-parameters: every setting on every data set, in every rung.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "diffeo/grid.hpp"

namespace diffeo {

class GridItems {
 public:
  /// std::invalid_argument for what search_grid refuses. `plan` must outlive it.
  GridItems(const GridPlan& plan, const Archive& archive);

  [[nodiscard]] const std::vector<std::string>& datasets() const noexcept { return datasets_; }
  [[nodiscard]] const std::vector<Setting>& settings() const noexcept { return settings_; }

  /// Trained on all of the training set, in full.
  [[nodiscard]] WorkItem test(std::size_t dataset, std::size_t setting) const;
  /// Cross-validated with a share of the training; where that is all of it, in the last rung, also with all folds.
  [[nodiscard]] WorkItem in_rung(std::size_t dataset, std::size_t setting, double share) const;

 private:
  const GridPlan& plan_;
  std::vector<std::string> datasets_;
  std::vector<Setting> settings_;
  std::vector<TrainingOptions> options_;  // of every setting
};

/// Of so many, how many settings the next rung has.
[[nodiscard]] std::size_t settings_that_go_on(std::size_t settings);

/// "rung 2 of 4"
[[nodiscard]] std::string rung_name(std::size_t rung, std::size_t rungs);

}  // namespace diffeo
