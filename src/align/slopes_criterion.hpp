// Warps judged by square-root slopes (align/root_slopes.hpp), at one smoothing.
//
//   difference = mean over time of |q(phi) sqrt(phi') - m|^2
//
// Nothing can be squeezed away, heights may differ, and phi' is exact with exact derivatives (diffeo/log_slope.hpp). Flat
// stretches say nothing here: what is between them is left to the prior.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "align/criterion.hpp"
#include "diffeo/dataset.hpp"

namespace diffeo {

class SlopesCriterion final : public Criterion {
 public:
  /// `slopes` of every case, (channels, points) each; `target` is empty (the mean of the group) or alike.
  SlopesCriterion(std::vector<std::vector<double>> slopes, std::vector<double> target, std::size_t channels,
                  const WarpPrior& prior, double smoothing, std::size_t threads);

 private:
  [[nodiscard]] bool compare(GroupState& state) const override;
  void add_normal_equations(const GroupState& state, std::size_t item, std::span<double> gradient,
                            std::span<double> hessian) const override;
  [[nodiscard]] double nanoseconds_per_case() const noexcept override;

  [[nodiscard]] std::size_t points() const noexcept { return grid_.size(); }
  [[nodiscard]] SeriesView<const double> slopes(std::size_t item) const noexcept {
    return {slopes_[item].data(), channels_, points()};
  }
  void fill_mean(GroupState& state) const;

  std::size_t channels_;
  std::vector<std::vector<double>> slopes_;
  std::vector<double> target_;
  std::vector<double> grid_;
};

}  // namespace diffeo
