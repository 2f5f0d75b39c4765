#include "align/criterion.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <limits>
#include <utility>

#include "align/finite.hpp"
#include "diffeo/prior.hpp"
#include "diffeo/threads.hpp"
#include "diffeo/warp_space.hpp"

namespace diffeo {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Cases whose sums are made together, so that they do not depend on the number of threads.
constexpr std::size_t kCasesPerSum = 16;

/// The normal equations of every case with Marquardt's damping: the diagonal times 1 + damping.
class DampedBlocks {
 public:
  DampedBlocks(const NormalEquations& equations, double damping, std::size_t size)
      : equations_(equations), damping_(damping), size_(static_cast<Eigen::Index>(size)) {}

  [[nodiscard]] Eigen::Map<const Eigen::VectorXd> gradient(std::size_t item) const {
    return {equations_.gradients.data() + static_cast<Eigen::Index>(item) * size_, size_};
  }
  [[nodiscard]] Eigen::LLT<Eigen::MatrixXd> factor(std::size_t item) const {
    Eigen::MatrixXd damped = hessian(item);
    damped.diagonal() *= 1.0 + damping_;
    return Eigen::LLT<Eigen::MatrixXd>(damped);
  }
  /// By the quadratic model, without the damping.
  [[nodiscard]] double predicted_decrease(std::size_t item, const Eigen::VectorXd& change) const {
    const Eigen::VectorXd curvature = hessian(item).selfadjointView<Eigen::Lower>() * change;
    return -(2.0 * gradient(item).dot(change) + change.dot(curvature));
  }
  /// What has to be added to every gradient for the steps to sum to zero.
  [[nodiscard]] Eigen::VectorXd multiplier(std::size_t cases, std::size_t threads) const {
    const std::size_t sums = (cases + kCasesPerSum - 1) / kCasesPerSum;
    std::vector<Eigen::MatrixXd> inverses(sums, Eigen::MatrixXd::Zero(size_, size_));
    std::vector<Eigen::VectorXd> solutions(sums, Eigen::VectorXd::Zero(size_));
    for_each_item(std::min(threads, sums), sums, [&](std::size_t, std::size_t sum) {
      for (std::size_t item = sum * kCasesPerSum; item < std::min(cases, (sum + 1) * kCasesPerSum); ++item) {
        const auto cholesky = factor(item);
        inverses[sum] += cholesky.solve(Eigen::MatrixXd::Identity(size_, size_));
        solutions[sum] += cholesky.solve(gradient(item));
      }
    });
    for (std::size_t sum = 1; sum < sums; ++sum) {
      inverses[0] += inverses[sum];
      solutions[0] += solutions[sum];
    }
    return -inverses[0].llt().solve(solutions[0]);
  }

 private:
  [[nodiscard]] Eigen::Map<const RowMajor> hessian(std::size_t item) const {
    return {equations_.hessians.data() + static_cast<Eigen::Index>(item) * size_ * size_, size_, size_};
  }

  const NormalEquations& equations_;
  double damping_;
  Eigen::Index size_;
};

}  // namespace

Criterion::Criterion(std::size_t cases, bool centred, const WarpPrior& prior, double smoothing, std::size_t threads)
    : cases_(cases),
      centred_(centred),
      prior_(prior),
      smoothing_(smoothing),
      threads_(threads),
      free_(prior.zero_boundary ? prior.cells - 1 : prior.cells + 1),
      precision_(
          Prior(WarpSpace(prior.cells, prior.zero_boundary, Basis::sparse), 1.0, prior.length_scale).precision()) {}

std::size_t Criterion::threads(double nanoseconds_per_case) const noexcept {
  return useful_threads(threads_, cases(), nanoseconds_per_case * static_cast<double>(cases()));
}

void Criterion::keep_free_columns(std::span<const double> all, std::size_t points,
                                  std::span<double> kept) const noexcept {
  const std::size_t vertices = cells() + 1;
  for (std::size_t point = 0; point < points; ++point) {
    std::copy_n(all.data() + point * vertices + first_free(), free_, kept.data() + point * free_);
  }
}

double Criterion::penalty(std::span<const double> free_velocities) const noexcept {
  const Eigen::Map<const Eigen::VectorXd> theta(free_velocities.data(), static_cast<Eigen::Index>(free_));
  const Eigen::Map<const RowMajor> precision(precision_.values().data(), theta.size(), theta.size());
  return theta.dot(precision * theta);
}

void Criterion::evaluate(Matrix velocities, GroupState& state) const {
  state.velocities = std::move(velocities);
  state.cost = std::numeric_limits<double>::infinity();
  if (!all_finite(state.velocities.values())) return;
  state.differences.assign(cases(), 0.0);
  state.penalties.assign(cases(), 0.0);
  if (!compare(state)) return;
  state.difference = 0.0;
  state.penalty = 0.0;
  for (std::size_t item = 0; item < cases(); ++item) {
    state.difference += state.differences[item] / static_cast<double>(cases());
    state.penalties[item] = prior_.prior_weight * penalty(state.velocities.row(item).subspan(first_free(), free_));
    state.penalty += state.penalties[item] / static_cast<double>(cases());
  }
  state.cost = state.difference + state.penalty;
}

void Criterion::linearise(const GroupState& state, NormalEquations& equations) const {
  const std::size_t square = free_ * free_;
  equations.gradients.assign(cases() * free_, 0.0);
  equations.hessians.assign(cases() * square, 0.0);
  for_each_item(threads(nanoseconds_per_case()), cases(), [&](std::size_t, std::size_t item) {
    const std::span gradient = std::span(equations.gradients).subspan(item * free_, free_);
    const std::span hessian = std::span(equations.hessians).subspan(item * square, square);
    add_normal_equations(state, item, gradient, hessian);
    const std::span<const double> theta = state.velocities.row(item).subspan(first_free(), free_);
    for (std::size_t i = 0; i < free_; ++i) {
      for (std::size_t j = 0; j < free_; ++j) {
        gradient[i] += prior_.prior_weight * precision_(i, j) * theta[j];
        hessian[i * free_ + j] += prior_.prior_weight * precision_(i, j);
      }
    }
  });
}

GroupStep Criterion::step(const NormalEquations& equations, double damping) const {
  const DampedBlocks blocks(equations, damping, free_);
  const double nanoseconds = static_cast<double>(free_ * free_ * free_);
  const Eigen::VectorXd multiplier = centred_ ? blocks.multiplier(cases(), threads(nanoseconds))
                                              : Eigen::VectorXd::Zero(static_cast<Eigen::Index>(free_));
  GroupStep step;
  step.free_velocities = Matrix(cases(), free_);
  std::vector<double> decreases(cases());
  for_each_item(threads(nanoseconds), cases(), [&](std::size_t, std::size_t item) {
    const Eigen::VectorXd change = -blocks.factor(item).solve(blocks.gradient(item) + multiplier);
    decreases[item] = blocks.predicted_decrease(item, change);
    std::copy_n(change.data(), free_, step.free_velocities.values().data() + item * free_);
  });
  for (const double decrease : decreases) step.predicted_decrease += decrease / static_cast<double>(cases());
  return step;
}

Matrix moved(const Matrix& velocities, const GroupStep& step) {
  Matrix result = velocities;
  const std::size_t first_free = (velocities.columns() - step.free_velocities.columns()) / 2;
  for (std::size_t row = 0; row < velocities.rows(); ++row) {
    const std::span<const double> change = step.free_velocities.row(row);
    for (std::size_t i = 0; i < change.size(); ++i) result(row, first_free + i) += change[i];
  }
  return result;
}

void subtract_mean(Matrix& velocities) {
  for (std::size_t column = 0; column < velocities.columns(); ++column) {
    double mean = 0.0;
    for (std::size_t row = 0; row < velocities.rows(); ++row) mean += velocities(row, column);
    mean /= static_cast<double>(velocities.rows());
    for (std::size_t row = 0; row < velocities.rows(); ++row) velocities(row, column) -= mean;
  }
}

void add_outer_product(std::span<const double> row, double factor, std::span<double> hessian) noexcept {
  const std::size_t size = row.size();
  std::size_t first = 0;
  while (first < size && row[first] == 0.0) ++first;
  std::size_t end = size;
  while (end > first && row[end - 1] == 0.0) --end;
  for (std::size_t i = first; i < end; ++i) {
    const double scaled = factor * row[i];
    for (std::size_t j = first; j <= i; ++j) hessian[i * size + j] += scaled * row[j];
  }
}

}  // namespace diffeo
