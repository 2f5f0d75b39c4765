// From the sums over the points of a field to the gradient by its velocities. (docs/math.md, 4.3)
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/careful_point.hpp"
#include "core/kernels/kernel_set.hpp"

namespace diffeo {

/// A difference array summed up from the left, without losing what rounding takes.
class RunningSum {
 public:
  DIFFEO_HOST_DEVICE void add(const kernels::DifferenceArray& array, std::size_t cell) noexcept {
    const double sum = value_ + array.change[cell];
    const double added = sum - value_;
    remainder_ += (value_ - (sum - added)) + (array.change[cell] - added) + array.remainder[cell];
    value_ = sum;
  }
  [[nodiscard]] DIFFEO_HOST_DEVICE double value() const noexcept { return value_ + remainder_; }
  /// value() - factor * other.value(), rounded once where both are large and nearly cancel.
  [[nodiscard]] DIFFEO_HOST_DEVICE double less(double factor, const RunningSum& other) const noexcept {
    return ::fma(-factor, other.value_, value_) + ::fma(-factor, other.remainder_, remainder_);
  }

 private:
  double value_ = 0;
  double remainder_ = 0;
};

/// Calls act(cell, arrival, weight) for every cell that somebody crosses, from left to right, with the sums over those
/// who do. Elsewhere nothing but rounding is left, and what the sums are multiplied by may be infinite.
template <bool kWeighted, class Act>
DIFFEO_HOST_DEVICE inline void for_each_crossed_cell(std::size_t cells, const kernels::GradientSums& sums,
                                                     const Act& act) noexcept {
  RunningSum arrival, weight;
  std::int64_t crossers = 0;
  for (std::size_t c = 0; c < cells; ++c) {
    arrival.add(sums.arrival, c);
    if constexpr (kWeighted) weight.add(sums.weight, c);
    crossers += sums.crossers[c];
    if (crossers == 0) {
      arrival = weight = {};
      continue;
    }
    act(c, arrival, weight);
  }
}

/// Lets what crosses whole cells act on their vertices. `sensitivity(cell)` is crossing_sensitivity.
template <class Sensitivity>
DIFFEO_HOST_DEVICE inline void add_crossed_cells(std::size_t cells, const kernels::GradientSums& sums,
                                                 const Sensitivity& sensitivity) noexcept {
  for_each_crossed_cell<false>(cells, sums, [&](std::size_t c, const RunningSum& arrival, const RunningSum&) {
    const CrossingSensitivity of_cell = sensitivity(c);
    sums.velocity[c] += arrival.value() * of_cell.left;
    sums.velocity[c + 1] += arrival.value() * of_cell.right;
  });
}

/// The same for log-slopes: every crosser of weight g that lands where the slope is s adds
/// g ((s - slope of the cell) d(time gained) + (time spent) d(slope of the cell)).               (docs/math.md, 4.4)
template <class Sensitivity>
DIFFEO_HOST_DEVICE inline void add_crossed_log_slopes(const kernels::FieldTable& table,
                                                      const kernels::GradientSums& sums,
                                                      const Sensitivity& sensitivity) noexcept {
  const auto act = [&](std::size_t c, const RunningSum& arrival, const RunningSum& weight) {
    const CrossingSensitivity of_cell = sensitivity(c);
    const double direction = table.velocity[c] > 0 ? 1.0 : -1.0;
    const double sooner = direction * arrival.less(kernels::plain_slope(table, c), weight);
    const double by_slope = weight.value() * table.crossing[c] * table.grid.inverse_width;
    sums.velocity[c] += sooner * of_cell.left - by_slope;
    sums.velocity[c + 1] += sooner * of_cell.right + by_slope;
  };
  for_each_crossed_cell<true>(table.grid.cells, sums, act);
}

}  // namespace diffeo
