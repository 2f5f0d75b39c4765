// Inputs to time the flow with: smooth random fields, equally spaced points, random cotangents.
//
// Shared by `diffeo benchmark` and bench/micro, so that both time the same work.
//
//   * the same seed gives the same fields at any number of cells (drawn on a coarse tessellation and interpolated), so
//     that a finer one changes how many cells a point crosses, not how far it goes
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "diffeo/flow.hpp"

namespace diffeo::cli {

struct CaseSize {
  std::size_t cells;
  std::size_t points;
  std::size_t warps;
};

template <class Real>
class TimingCase {
 public:
  TimingCase(CaseSize size, std::uint64_t seed);

  /// The positions of all points under all warps.
  void flow(std::size_t threads);
  /// The gradient of the velocities.
  void flow_vjp(std::size_t threads);
  /// The same for the log-slopes.
  void log_slope(std::size_t threads);
  void log_slope_vjp(std::size_t threads);

  [[nodiscard]] CaseSize size() const noexcept { return size_; }
  [[nodiscard]] std::size_t evaluations() const noexcept { return size_.points * size_.warps; }
  [[nodiscard]] Rows<const Real> velocities() const noexcept {
    return {velocities_.data(), size_.warps, size_.cells + 1};
  }

 private:
  [[nodiscard]] FlowProblem<Real> problem() const noexcept;
  [[nodiscard]] Rows<Real> values() noexcept;
  [[nodiscard]] Rows<const Real> cotangents() const noexcept;
  [[nodiscard]] FlowGradients<Real> gradients() noexcept;

  CaseSize size_;
  double time_ = 1.0;
  std::vector<Real> velocities_;
  std::vector<Real> points_;
  std::vector<Real> cotangents_;
  std::vector<Real> values_;
  std::vector<Real> velocity_gradients_;
};

}  // namespace diffeo::cli
