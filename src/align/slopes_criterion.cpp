#include "align/slopes_criterion.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "align/difference.hpp"
#include "align/finite.hpp"
#include "core/equally_spaced.hpp"
#include "diffeo/flow.hpp"
#include "diffeo/log_slope.hpp"
#include "diffeo/threads.hpp"

namespace diffeo {
namespace {

constexpr double kSlopesNanosecondsPerValue = 20.0;
constexpr double kSlopesNanosecondsPerJacobianEntry = 20.0;

}  // namespace

SlopesCriterion::SlopesCriterion(std::vector<std::vector<double>> slopes, std::vector<double> target,
                                 std::size_t channels, const WarpPrior& prior, double smoothing, std::size_t threads)
    : Criterion(slopes.size(), target.empty(), prior, smoothing, threads),
      channels_(channels),
      slopes_(std::move(slopes)),
      target_(std::move(target)),
      grid_(equally_spaced(slopes_.front().size() / channels)) {}

void SlopesCriterion::fill_mean(GroupState& state) const {
  const std::size_t size = channels_ * points();
  std::vector<double> present(size, 0.0);
  state.target.assign(size, 0.0);
  for (std::size_t item = 0; item < cases(); ++item) {
    for (std::size_t index = 0; index < size; ++index) {
      const double value = state.values[item * size + index];
      if (std::isnan(value)) continue;
      state.target[index] += value;
      present[index] += 1.0;
    }
  }
  for (std::size_t index = 0; index < size; ++index) state.target[index] /= present[index];  // 0 / 0: nobody
}

bool SlopesCriterion::compare(GroupState& state) const {
  const std::size_t size = channels_ * points();
  state.positions.resize(cases() * points());
  state.weights.resize(cases() * points());  // roots of the warps' slopes
  state.values.resize(cases() * size);
  const std::array time{1.0};
  const Rows<const double> fields(state.velocities.values().data(), cases(), cells() + 1);
  const FlowProblem<double> problem{.velocities = fields, .points = std::span<const double>(grid_), .times = time};
  flow<double>(problem, Rows<double>(state.positions.data(), cases(), points()), requested_threads());
  flow_log_slope<double>(problem, Rows<double>(state.weights.data(), cases(), points()), requested_threads());
  for (double& weight : state.weights) weight = std::exp(0.5 * weight);
  if (!all_finite(state.positions) || !all_finite(state.weights)) return false;
  for_each_item(threads(kSlopesNanosecondsPerValue * static_cast<double>(size)), cases(),
                [&](std::size_t, std::size_t item) {
                  const auto values = std::span(state.values).subspan(item * size, size);
                  read_values(slopes(item), std::span(state.positions).subspan(item * points(), points()), values);
                  for (std::size_t index = 0; index < size; ++index) {
                    values[index] *= state.weights[item * points() + index % points()];
                  }
                });
  if (centered()) {
    fill_mean(state);
  } else {
    state.target = target_;
  }
  for (std::size_t item = 0; item < cases(); ++item) {
    double sum = 0.0;
    for (std::size_t index = 0; index < size; ++index) {
      const double value = state.values[item * size + index];
      const double difference = (std::isnan(value) ? 0.0 : value) - state.target[index];  // a gap is flat
      if (!std::isnan(difference)) sum += difference * difference;
    }
    state.differences[item] = sum / static_cast<double>(size);
  }
  return true;
}

double SlopesCriterion::nanoseconds_per_case() const noexcept {
  return kSlopesNanosecondsPerJacobianEntry * static_cast<double>(points() * (cells() + 1));
}

void SlopesCriterion::add_normal_equations(const GroupState& state, std::size_t item, std::span<double> gradient,
                                           std::span<double> hessian) const {
  const std::size_t vertices = cells() + 1;
  const std::size_t size = channels_ * points();
  std::vector<double> by_position(points() * vertices);
  std::vector<double> by_slope(points() * vertices);
  const std::array time{1.0};
  const FlowProblem<double> problem{
      .velocities = state.velocities.row(item), .points = std::span<const double>(grid_), .times = time};
  flow_jacobian<double>(problem, Rows<double>(by_position.data(), points(), vertices), 1);
  flow_log_slope_jacobian<double>(problem, Rows<double>(by_slope.data(), points(), vertices), 1);
  std::vector<double> steepness(size);
  read_slopes(slopes(item), std::span(state.positions).subspan(item * points(), points()), steepness);
  std::vector<double> row(free());
  const double factor = 1.0 / static_cast<double>(size);
  for (std::size_t index = 0; index < size; ++index) {
    const double value = state.values[item * size + index];
    const double difference = value - state.target[index];
    if (std::isnan(difference)) continue;
    const std::size_t point = index % points();
    const double position_factor = steepness[index] * state.weights[item * points() + point];
    const double* positions = by_position.data() + point * vertices + first_free();
    const double* log_slopes = by_slope.data() + point * vertices + first_free();
    for (std::size_t k = 0; k < free(); ++k) {
      row[k] = position_factor * positions[k] + 0.5 * value * log_slopes[k];
      gradient[k] += factor * difference * row[k];
    }
    add_outer_product(row, factor, hessian);
  }
}

}  // namespace diffeo
