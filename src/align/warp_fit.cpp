#include "align/warp_fit.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "align/descent.hpp"
#include "align/finite.hpp"
#include "core/equally_spaced.hpp"
#include "diffeo/flow.hpp"

namespace diffeo {
namespace {

/// Enough to keep fields smooth where weights vanish; the length scale is that of gentle warps.
constexpr double kPathPriorWeight = 1e-5;
constexpr double kPathLengthScale = 0.2;
constexpr double kPathTolerance = 1e-3;
constexpr std::size_t kMostPathSteps = 40;

class PathCriterion final : public Criterion {
 public:
  /// `shares` sum to one.
  PathCriterion(const Matrix& paths, std::span<const double> shares, const AlignOptions& options)
      : Criterion(paths.rows(), false, {options.cells, options.zero_boundary, kPathPriorWeight, kPathLengthScale}, 0.0,
                  options.threads),
        paths_(paths),
        shares_(shares),
        grid_(equally_spaced(paths.columns())) {}

 private:
  [[nodiscard]] bool compare(GroupState& state) const override {
    const std::size_t points = grid_.size();
    state.positions.resize(cases() * points);
    const std::array time{1.0};
    const Rows<const double> fields(state.velocities.values().data(), cases(), cells() + 1);
    flow<double>({.velocities = fields, .points = std::span<const double>(grid_), .times = time},
                 Rows<double>(state.positions.data(), cases(), points), requested_threads());
    if (!all_finite(state.positions)) return false;
    for (std::size_t item = 0; item < cases(); ++item) {
      for (std::size_t point = 0; point < points; ++point) {
        const double error = state.positions[item * points + point] - paths_(item, point);
        state.differences[item] += shares_[point] * error * error;
      }
    }
    return true;
  }

  void add_normal_equations(const GroupState& state, std::size_t item, std::span<double> gradient,
                            std::span<double> hessian) const override {
    const std::size_t points = grid_.size();
    std::vector<double> all(points * (cells() + 1));
    std::vector<double> kept(points * free());
    const std::array time{1.0};
    flow_jacobian<double>(
        {.velocities = state.velocities.row(item), .points = std::span<const double>(grid_), .times = time},
        Rows<double>(all.data(), points, cells() + 1), 1);
    keep_free_columns(all, points, kept);
    for (std::size_t point = 0; point < points; ++point) {
      const double weight = shares_[point];
      const double error = state.positions[item * points + point] - paths_(item, point);
      const std::span<const double> row = std::span(kept).subspan(point * free(), free());
      for (std::size_t k = 0; k < free(); ++k) gradient[k] += weight * error * row[k];
      add_outer_product(row, weight, hessian);
    }
  }

  [[nodiscard]] double nanoseconds_per_case() const noexcept override {
    return 10.0 * static_cast<double>(grid_.size() * (cells() + 1));
  }

  const Matrix& paths_;
  std::span<const double> shares_;
  std::vector<double> grid_;
};

}  // namespace

Matrix velocities_of_paths(const Matrix& paths, std::span<const double> weights, const AlignOptions& options) {
  // Paths of different cases have nothing to do with each other: one search each, so that none waits for another.
  Matrix result(paths.rows(), options.cells + 1);
  AlignOptions own_options = options;
  own_options.max_iterations = kMostPathSteps;
  own_options.progress = {};
  std::vector<double> shares(weights.begin(), weights.end());
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= total;
  for (std::size_t item = 0; item < paths.rows(); ++item) {
    Matrix path(1, paths.columns());
    std::ranges::copy(paths.row(item), path.values().begin());
    const PathCriterion criterion(path, shares, own_options);
    GroupState state;
    std::vector<AlignStep> history;
    criterion.evaluate(Matrix(1, options.cells + 1), state);
    (void)descend(criterion, {kPathTolerance, 0.0, 0.0}, state, own_options, history);
    std::ranges::copy(state.velocities.values(),
                      result.values().begin() + static_cast<std::ptrdiff_t>(item * (options.cells + 1)));
  }
  return result;
}

}  // namespace diffeo
