// What a group of warps is judged by, at one resolution: its value, and the normal equations of a Gauss-Newton step.
//
//   cost = mean over the cases of (difference + prior_weight * penalty),   penalty = theta^T Sigma^{-1} theta
//
// The criteria share the warps, the penalty and the step; each says what the difference is: of values
// (values_criterion.hpp), of slopes (slopes_criterion.hpp), or of values whose heights vary (mixed_criterion.hpp).
//
// Given the template, the warps do not interact, so the Gauss-Newton matrix is one small block per case. With the mean
// of the group for a template that block matrix is an upper bound of the true one (the mean only lowers the cost
// further), so steps stay safe; and because warping all series alike cannot be seen, steps are taken under the
// constraint that they sum to zero:
//   A_i step_i = -(g_i + multiplier),   sum_i step_i = 0.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "diffeo/align_options.hpp"
#include "diffeo/matrix.hpp"

namespace diffeo {

/// The group under given warps. What the vectors hold is the criterion's business.
struct GroupState {
  Matrix velocities;              // (cases, cells + 1)
  std::vector<double> positions;  // where the warps lead, case by case
  std::vector<double> weights;
  std::vector<double> values;
  std::vector<double> target;       // what the series are compared with
  std::vector<double> gains;        // of every case and channel, with models that have them
  std::vector<double> differences;  // of every case, without the penalty
  std::vector<double> penalties;    // of every case, weighted
  double difference = 0.0;          // means over the cases
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

/// The velocity fields of a criterion, and what they cost by themselves.
struct WarpPrior {
  std::size_t cells;
  bool zero_boundary;
  double prior_weight;
  double length_scale;
};

class Criterion {
 public:
  virtual ~Criterion() = default;
  Criterion(const Criterion&) = delete;
  Criterion& operator=(const Criterion&) = delete;

  [[nodiscard]] std::size_t cases() const noexcept { return cases_; }
  [[nodiscard]] std::size_t cells() const noexcept { return prior_.cells; }
  [[nodiscard]] double smoothing() const noexcept { return smoothing_; }

  /// The cost is infinite where warps overflow.
  void evaluate(Matrix velocities, GroupState& state) const;
  void linearize(const GroupState& state, NormalEquations& equations) const;
  /// The damped Gauss-Newton step; with the mean for a target the steps of the cases sum to zero.
  [[nodiscard]] GroupStep step(const NormalEquations& equations, double damping) const;

 protected:
  /// `centered`: the target is the mean of the group.
  Criterion(std::size_t cases, bool centered, const WarpPrior& prior, double smoothing, std::size_t threads);

  /// Fills the vectors of the state, whose velocities are finite; false where warps overflow.
  [[nodiscard]] virtual bool compare(GroupState& state) const = 0;
  /// Adds half the gradient and half the Gauss-Newton matrix of one case's difference.
  virtual void add_normal_equations(const GroupState& state, std::size_t item, std::span<double> gradient,
                                    std::span<double> hessian) const = 0;
  /// About how long add_normal_equations takes for a case.
  [[nodiscard]] virtual double nanoseconds_per_case() const noexcept = 0;

  [[nodiscard]] bool centered() const noexcept { return centered_; }
  [[nodiscard]] std::size_t first_free() const noexcept { return prior_.zero_boundary ? 1 : 0; }
  [[nodiscard]] std::size_t free() const noexcept { return free_; }
  [[nodiscard]] std::size_t requested_threads() const noexcept { return threads_; }
  [[nodiscard]] std::size_t threads(double nanoseconds_per_case) const noexcept;
  /// Without the columns of velocities that are not free: (points, free).
  void keep_free_columns(std::span<const double> all, std::size_t points, std::span<double> kept) const noexcept;

 private:
  [[nodiscard]] double penalty(std::span<const double> free_velocities) const noexcept;

  std::size_t cases_;
  bool centered_;
  WarpPrior prior_;
  double smoothing_;
  std::size_t threads_;
  std::size_t free_;  // how many vertices
  Matrix precision_;  // of the prior, over the free velocities
};

/// The velocities after the step.
[[nodiscard]] Matrix moved(const Matrix& velocities, const GroupStep& step);

/// Makes the mean over the rows zero.
void subtract_mean(Matrix& velocities);

/// hessian += factor row row^T over the entries that are not zero; lower triangle.
void add_outer_product(std::span<const double> row, double factor, std::span<double> hessian) noexcept;

}  // namespace diffeo
