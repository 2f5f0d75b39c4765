// The series of a group at one resolution: the cost of warps, its linearisation, and the step that follows from it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "align/difference.hpp"
#include "align/resolution.hpp"
#include "diffeo/align_options.hpp"
#include "diffeo/dataset.hpp"
#include "diffeo/matrix.hpp"

namespace diffeo {

/// The group under given warps.
struct GroupState {
  Matrix velocities;              // (cases, cells + 1)
  std::vector<double> positions;  // (cases, points)
  std::vector<double> weights;    // (cases, points)
  std::vector<double> values;     // (cases, channels, points)
  std::vector<double> target;     // (channels, points): what the series are compared with
  double difference = 0.0;        // means over the cases
  double penalty = 0.0;
  double cost = 0.0;
};

/// Half the gradient and half the Gauss-Newton matrix of every case's cost by its free velocities.
struct NormalEquations {
  std::vector<double> gradients;  // (cases, free)
  std::vector<double> hessians;   // (cases, free, free), lower triangles
};

struct GroupStep {
  Matrix free_velocities;  // (cases, free): changes
  double predicted_decrease = 0.0;
};

class Group {
 public:
  /// `target` may be null: the mean of the group as it is warped. The series are copied, smoothed and thinned out.
  Group(std::span<const SeriesView<const double>> series, const SeriesView<const double>* target, std::size_t length,
        const Resolution& resolution, double scale, const AlignOptions& options);

  [[nodiscard]] std::size_t cases() const noexcept { return series_.size(); }
  [[nodiscard]] std::size_t cells() const noexcept { return resolution_.cells; }
  [[nodiscard]] double smoothing() const noexcept { return resolution_.smoothing; }

  /// The cost is infinite where warps overflow.
  void evaluate(Matrix velocities, GroupState& state) const;
  void linearise(const GroupState& state, NormalEquations& equations) const;
  /// The damped Gauss-Newton step; with the mean for a target the steps of the cases sum to zero.
  [[nodiscard]] GroupStep step(const NormalEquations& equations, double damping) const;

 private:
  [[nodiscard]] std::size_t points() const noexcept { return grid_.size(); }
  [[nodiscard]] SeriesView<const double> series(std::size_t item) const noexcept;
  [[nodiscard]] Comparison comparison(const GroupState& state, std::size_t item) const noexcept;
  [[nodiscard]] std::size_t threads(double nanoseconds_per_case) const noexcept;
  [[nodiscard]] double penalty(std::span<const double> free_velocities) const noexcept;
  void fill_mean(const GroupState& state, std::vector<double>& mean) const;

  Resolution resolution_;
  double scale_;
  double own_time_;
  double prior_weight_;
  std::size_t threads_;
  bool aligns_to_mean_;
  std::size_t channels_;
  std::size_t first_free_;  // vertex
  std::size_t free_;        // how many vertices
  std::vector<std::vector<double>> series_;
  std::vector<double> grid_;
  std::vector<double> target_;
  Matrix precision_;  // of the prior, over the free velocities
};

/// The velocities after the step.
[[nodiscard]] Matrix moved(const Matrix& velocities, const GroupStep& step);

}  // namespace diffeo
