// What every exact-flow function does before it starts: check the problem, round the vertices, see which points ascend.
#pragma once

#include <vector>

#include "core/argument_checks.hpp"
#include "core/field_workspace.hpp"
#include "diffeo/flow.hpp"

namespace diffeo {

template <class Real>
class FlowSetup {
 public:
  explicit FlowSetup(const FlowProblem<Real>& problem)
      : problem_(problem), grid_(checked_tessellation(problem)), sorted_(problem.points.rows) {
    const auto& kernels = kernels::best_kernels<Real>();
    for (std::size_t row = 0; row < problem.points.rows; ++row) {
      const std::span<const Real> points = problem.points.row(row);
      const kernels::PointCheck check = kernels.check_points(points.data(), points.size());
      if (!check.finite) require_finite("points", problem.points);
      sorted_[row] = check.sorted;
    }
  }

  [[nodiscard]] kernels::Grid grid() const noexcept { return grid_.view(); }
  [[nodiscard]] bool sorted(std::size_t row) const noexcept { return sorted_[problem_.points.shared() ? 0 : row]; }

  /// About what the flow of the whole batch takes on one thread.
  [[nodiscard]] double nanoseconds() const noexcept {
    constexpr double kPerPoint = 3.0;
    constexpr double kPerCell = 30.0;
    return static_cast<double>(problem_.batch()) *
           (kPerPoint * static_cast<double>(problem_.points.columns) + kPerCell * static_cast<double>(grid().cells));
  }

  [[nodiscard]] std::vector<FieldWorkspace<Real>> workspaces(std::size_t count) const {
    std::vector<FieldWorkspace<Real>> result;
    result.reserve(count);
    for (std::size_t i = 0; i < count; ++i) result.emplace_back(grid(), problem_.points.columns);
    return result;
  }

 private:
  static Tessellation checked_tessellation(const FlowProblem<Real>& problem) {
    require_fields(problem.velocities, problem.points);
    require_times(problem.times, problem.batch());
    return Tessellation(problem.velocities.columns - 1, problem.domain.lower, problem.domain.upper);
  }

  const FlowProblem<Real>& problem_;
  VertexGrid<Real> grid_;
  std::vector<char> sorted_;
};

}  // namespace diffeo
