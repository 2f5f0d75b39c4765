#include "align/criterion.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <limits>
#include <utility>

#include "align/finite.hpp"
#include "align/packed_systems.hpp"
#include "diffeo/prior.hpp"
#include "diffeo/threads.hpp"
#include "diffeo/warp_space.hpp"

namespace diffeo {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The normal equations of every case with Marquardt's damping, the diagonal times 1 + damping, inverted: their sum is
/// needed, and with it the steps of all cases sum to zero as well as its solution does.
class DampedBlocks {
 public:
  DampedBlocks(const NormalEquations& equations, double damping, std::size_t size, std::size_t cases,
               std::size_t threads)
      : equations_(equations),
        damping_(damping),
        size_(size),
        cases_(cases),
        threads_(threads),
        packs_(PackedSystems::packs(cases), PackedSystems(size)) {
    for_each_pack([&](PackedSystems& pack, std::size_t first) {
      for_each_lane(first, [&](std::size_t lane, std::size_t item) { read_matrix(item, lane, pack); });
      pack.factor();
      pack.invert();
    });
  }

  /// What has to be added to every gradient for the steps to sum to zero.
  [[nodiscard]] Eigen::VectorXd multiplier() {
    const auto size = static_cast<Eigen::Index>(size_);
    const GroupStep alone = step(Eigen::VectorXd::Zero(size));
    Eigen::MatrixXd inverses = Eigen::MatrixXd::Zero(size, size);  // lower triangle
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(size);
    for (std::size_t item = 0; item < cases_; ++item) {
      PackedSystems& pack = packs_[item / PackedSystems::kLanes];
      for (std::size_t i = 0; i < size_; ++i) {
        const auto row = static_cast<Eigen::Index>(i);
        sum[row] += alone.free_velocities(item, i);
        for (std::size_t j = 0; j <= i; ++j) {
          inverses(row, static_cast<Eigen::Index>(j)) += pack.matrix(item % PackedSystems::kLanes, i, j);
        }
      }
    }
    return inverses.llt().solve(sum);
  }

  [[nodiscard]] GroupStep step(const Eigen::VectorXd& multiplier) {
    GroupStep step;
    step.free_velocities = Matrix(cases_, size_);
    std::vector<double> decreases(cases_);
    for_each_pack([&](PackedSystems& pack, std::size_t first) {
      for_each_lane(first, [&](std::size_t lane, std::size_t item) {
        for (std::size_t i = 0; i < size_; ++i) {
          pack.vector(lane, i) = gradient(item)[i] + multiplier[static_cast<Eigen::Index>(i)];
        }
      });
      pack.multiply();
      for_each_lane(first, [&](std::size_t lane, std::size_t item) {
        for (std::size_t i = 0; i < size_; ++i) step.free_velocities(item, i) = -pack.product(lane, i);
        decreases[item] = predicted_decrease(item, step.free_velocities.row(item), multiplier);
      });
    });
    for (const double decrease : decreases) step.predicted_decrease += decrease / static_cast<double>(cases_);
    return step;
  }

 private:
  template <class Visit>
  void for_each_pack(const Visit& visit) {
    for_each_item(std::min(threads_, packs_.size()), packs_.size(),
                  [&](std::size_t, std::size_t number) { visit(packs_[number], number * PackedSystems::kLanes); });
  }
  template <class Visit>
  void for_each_lane(std::size_t first, const Visit& visit) const {
    for (std::size_t item = first; item < std::min(first + PackedSystems::kLanes, cases_); ++item) {
      visit(item - first, item);
    }
  }

  [[nodiscard]] const double* gradient(std::size_t item) const noexcept {
    return equations_.gradients.data() + item * size_;
  }
  [[nodiscard]] const double* hessian(std::size_t item) const noexcept {
    return equations_.hessians.data() + item * size_ * size_;
  }
  void read_matrix(std::size_t item, std::size_t lane, PackedSystems& pack) const noexcept {
    for (std::size_t i = 0; i < size_; ++i) {
      const double* row = hessian(item) + i * size_;
      for (std::size_t j = 0; j < i; ++j) pack.matrix(lane, i, j) = row[j];
      pack.matrix(lane, i, i) = (1.0 + damping_) * row[i];
    }
  }
  /// By the quadratic model, without the damping: -(2 g c + c H c), where (H + damping D) c = -(g + multiplier).
  [[nodiscard]] double predicted_decrease(std::size_t item, std::span<const double> change,
                                          const Eigen::VectorXd& multiplier) const noexcept {
    double decrease = 0.0;
    for (std::size_t i = 0; i < size_; ++i) {
      const double curvature = damping_ * hessian(item)[i * size_ + i] * change[i];
      decrease += change[i] * (multiplier[static_cast<Eigen::Index>(i)] - gradient(item)[i] + curvature);
    }
    return decrease;
  }

  const NormalEquations& equations_;
  double damping_;
  std::size_t size_;
  std::size_t cases_;
  std::size_t threads_;
  std::vector<PackedSystems> packs_;
};

}  // namespace

Criterion::Criterion(std::size_t cases, bool centered, const WarpPrior& prior, double smoothing, std::size_t threads)
    : cases_(cases),
      centered_(centered),
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

void Criterion::linearize(const GroupState& state, NormalEquations& equations) const {
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
  const double nanoseconds = static_cast<double>(free_ * free_ * free_);
  DampedBlocks blocks(equations, damping, free_, cases(), threads(nanoseconds));
  return blocks.step(centered_ ? blocks.multiplier() : Eigen::VectorXd::Zero(static_cast<Eigen::Index>(free_)));
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
