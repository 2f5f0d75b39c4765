#include "align/group.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "align/finite.hpp"
#include "core/equally_spaced.hpp"
#include "diffeo/flow.hpp"
#include "diffeo/prior.hpp"
#include "diffeo/threads.hpp"
#include "diffeo/warp_space.hpp"

namespace diffeo {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Rough costs, for deciding how many threads are worth starting.
constexpr double kNanosecondsPerValue = 10.0;
constexpr double kNanosecondsPerJacobianEntry = 5.0;
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

Group::Group(std::span<const SeriesView<const double>> series, const SeriesView<const double>* target,
             std::size_t length, const Resolution& resolution, double scale, const AlignOptions& options)
    : resolution_(resolution),
      scale_(scale),
      own_time_(options.own_time),
      prior_weight_(options.prior_weight),
      threads_(options.threads),
      aligns_to_mean_(target == nullptr),
      channels_(series.front().channels),
      first_free_(options.zero_boundary ? 1 : 0),
      free_(options.zero_boundary ? resolution.cells - 1 : resolution.cells + 1),
      grid_(equally_spaced(samples_at(length, resolution.smoothing))),
      precision_(Prior(WarpSpace(resolution.cells, options.zero_boundary, Basis::sparse), 1.0, options.length_scale)
                     .precision()) {
  Smoother smoother(resolution.smoothing);
  series_.reserve(series.size());
  for (const SeriesView<const double>& item : series) series_.push_back(smoother.smoothed(item));
  if (target != nullptr) {
    const std::vector<double> smoothed = smoother.smoothed(*target);
    target_.resize(channels_ * points());
    read_values({smoothed.data(), channels_, smoothed.size() / channels_}, grid_, target_);
  }
}

SeriesView<const double> Group::series(std::size_t item) const noexcept {
  return {series_[item].data(), channels_, series_[item].size() / channels_};
}

std::size_t Group::threads(double nanoseconds_per_case) const noexcept {
  return useful_threads(threads_, cases(), nanoseconds_per_case * static_cast<double>(cases()));
}

Comparison Group::comparison(const GroupState& state, std::size_t item) const noexcept {
  const std::size_t size = channels_ * points();
  return {.channels = channels_,
          .own_time = own_time_,
          .positions = std::span(state.positions).subspan(item * points(), points()),
          .weights = std::span(state.weights).subspan(item * points(), points()),
          .values = std::span(state.values).subspan(item * size, size),
          .target = state.target};
}

double Group::penalty(std::span<const double> free_velocities) const noexcept {
  const Eigen::Map<const Eigen::VectorXd> theta(free_velocities.data(), static_cast<Eigen::Index>(free_));
  const Eigen::Map<const RowMajor> precision(precision_.values().data(), theta.size(), theta.size());
  return theta.dot(precision * theta);
}

void Group::fill_mean(const GroupState& state, std::vector<double>& mean) const {
  std::vector<double> total(mean.size(), 0.0);
  std::fill(mean.begin(), mean.end(), 0.0);
  for (std::size_t item = 0; item < cases(); ++item) {
    const Comparison own = comparison(state, item);
    for (std::size_t index = 0; index < mean.size(); ++index) {
      if (std::isnan(own.values[index])) continue;
      const double weight = own.weights[index % points()];
      mean[index] += weight * own.values[index];
      total[index] += weight;
    }
  }
  for (std::size_t index = 0; index < mean.size(); ++index) mean[index] /= total[index];  // 0 / 0: nobody is present
}

void Group::evaluate(Matrix velocities, GroupState& state) const {
  const std::size_t size = channels_ * points();
  state.velocities = std::move(velocities);
  state.positions.resize(cases() * points());
  state.weights.resize(cases() * points());
  state.values.resize(cases() * size);
  state.cost = std::numeric_limits<double>::infinity();
  if (!all_finite(state.velocities.values())) return;

  const std::array time{1.0};
  const Rows<const double> fields(state.velocities.values().data(), cases(), cells() + 1);
  flow<double>({.velocities = fields, .points = std::span<const double>(grid_), .times = time},
               Rows<double>(state.positions.data(), cases(), points()), threads_);
  if (!all_finite(state.positions)) return;

  const double nanoseconds = kNanosecondsPerValue * static_cast<double>(size);
  for_each_item(threads(nanoseconds), cases(), [&](std::size_t, std::size_t item) {
    const auto positions = std::span(state.positions).subspan(item * points(), points());
    fill_time_weights(positions, own_time_, std::span(state.weights).subspan(item * points(), points()));
    read_values(series(item), positions, std::span(state.values).subspan(item * size, size));
  });
  state.target.resize(size);
  if (aligns_to_mean_) {
    fill_mean(state, state.target);
  } else {
    state.target = target_;
  }

  std::vector<double> differences(cases());
  std::vector<double> penalties(cases());
  for_each_item(threads(nanoseconds), cases(), [&](std::size_t, std::size_t item) {
    differences[item] = difference(comparison(state, item)).mean() / scale_;
    penalties[item] = prior_weight_ * penalty(state.velocities.row(item).subspan(first_free_, free_));
  });
  state.difference = 0.0;
  state.penalty = 0.0;
  for (std::size_t item = 0; item < cases(); ++item) {
    state.difference += differences[item] / static_cast<double>(cases());
    state.penalty += penalties[item] / static_cast<double>(cases());
  }
  state.cost = state.difference + state.penalty;
}

void Group::linearise(const GroupState& state, NormalEquations& equations) const {
  const std::size_t vertices = cells() + 1;
  const std::size_t square = free_ * free_;
  equations.gradients.assign(cases() * free_, 0.0);
  equations.hessians.assign(cases() * square, 0.0);

  struct Workspace {
    std::vector<double> all_columns, free_columns, slopes, row, other_row;
  };
  const double nanoseconds = kNanosecondsPerJacobianEntry * static_cast<double>(points() * vertices);
  const std::size_t workers = threads(nanoseconds);
  std::vector<Workspace> workspaces(workers);
  for (Workspace& workspace : workspaces) {
    workspace.all_columns.resize(points() * vertices);
    workspace.free_columns.resize(points() * free_);
    workspace.slopes.resize(channels_ * points());
    workspace.row.resize(free_);
    workspace.other_row.resize(free_);
  }

  const std::array time{1.0};
  for_each_item(workers, cases(), [&](std::size_t worker, std::size_t item) {
    Workspace& workspace = workspaces[worker];
    flow_jacobian<double>(
        {.velocities = state.velocities.row(item), .points = std::span<const double>(grid_), .times = time},
        Rows<double>(workspace.all_columns.data(), points(), vertices), 1);
    for (std::size_t point = 0; point < points(); ++point) {
      std::copy_n(workspace.all_columns.data() + point * vertices + first_free_, free_,
                  workspace.free_columns.data() + point * free_);
    }
    const Comparison own = comparison(state, item);
    read_slopes(series(item), own.positions, workspace.slopes);

    const std::span gradient = std::span(equations.gradients).subspan(item * free_, free_);
    const std::span hessian = std::span(equations.hessians).subspan(item * square, square);
    add_normal_equations(own, workspace.slopes, Rows<const double>(workspace.free_columns.data(), points(), free_),
                         1.0 / scale_, gradient, hessian, workspace.row, workspace.other_row);
    const std::span<const double> theta = state.velocities.row(item).subspan(first_free_, free_);
    for (std::size_t i = 0; i < free_; ++i) {
      for (std::size_t j = 0; j < free_; ++j) {
        gradient[i] += prior_weight_ * precision_(i, j) * theta[j];
        hessian[i * free_ + j] += prior_weight_ * precision_(i, j);
      }
    }
  });
}

GroupStep Group::step(const NormalEquations& equations, double damping) const {
  const DampedBlocks blocks(equations, damping, free_);
  const double nanoseconds = static_cast<double>(free_ * free_ * free_);
  const Eigen::VectorXd multiplier = aligns_to_mean_ ? blocks.multiplier(cases(), threads(nanoseconds))
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

}  // namespace diffeo
