// The kernels of kernel_set.hpp for one instruction set, as templates. The compiler makes vectors of the loops.
#pragma once

#include "core/kernels/inline.hpp"
#include "kernel_set.hpp"

namespace diffeo::kernels::DIFFEO_TARGET {
namespace {

using pooling::Answer;
using pooling::ChannelRows;
using pooling::GradientSums;
using pooling::Moments;
using pooling::Normalizer;

template <class Real>
DIFFEO_INLINE Real* row_of(const ChannelRows<Real>& rows, std::int64_t item) noexcept {
  return rows.first + item * rows.stride;
}

template <class Real>
DIFFEO_INLINE Real normalized(Real feature, Normalizer<Real> by) noexcept {
  return feature * by.scale + by.shift;
}

/// The sum of `value(row, step)` over `rows` of `steps` steps. Many sums side by side, because a single one would wait
/// for each addition; rows are added up in double precision.
template <class Real, class Value>
DIFFEO_INLINE double sum_over(std::int64_t rows, std::int64_t steps, const Value& value) noexcept {
  constexpr std::int64_t kLanes = 16;
  double total = 0.0;
  for (std::int64_t row = 0; row < rows; ++row) {
    Real lanes[kLanes] = {};
    std::int64_t step = 0;
    for (; step + kLanes <= steps; step += kLanes) {
      for (std::int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] += value(row, step + lane);
    }
    for (; step < steps; ++step) lanes[step % kLanes] += value(row, step);
    for (const Real lane : lanes) total += static_cast<double>(lane);
  }
  return total;
}

template <class Real>
DIFFEO_INLINE Moments moments(const ChannelRows<const Real>& features) noexcept {
  const auto count = static_cast<double>(features.cases * features.steps);
  const double mean =
      sum_over<Real>(features.cases, features.steps, [&](auto row, auto step) { return row_of(features, row)[step]; }) /
      count;
  const auto center = static_cast<Real>(mean);
  const double squares = sum_over<Real>(features.cases, features.steps, [&](auto row, auto step) {
    const Real difference = row_of(features, row)[step] - center;
    return difference * difference;
  });
  return {mean, squares / count};
}

template <int Factor, class Real>
DIFFEO_INLINE void pool(const ChannelRows<const Real>& features, Normalizer<Real> normalize,
                        const ChannelRows<Real>& pooled) noexcept {
  for (std::int64_t item = 0; item < features.cases; ++item) {
    const Real* const from = row_of(features, item);
    Real* const to = row_of(pooled, item);
    for (std::int64_t i = 0; i < pooled.steps; ++i) {
      Real most = normalized(from[Factor * i], normalize);
      if constexpr (Factor == 2) {
        const Real second = normalized(from[2 * i + 1], normalize);
        most = second > most || second != second ? second : most;
      }
      to[i] = most <= Real{0} ? Real{0} : most;  // what is no number stays none
    }
  }
}

/// A gradient by an output, handed to the step it came from: to the first of a pair where both are equal, to none where
/// ReLU is flat.
template <class Real>
struct Shared {
  Real first;
  Real second;
};

template <int Factor, class Real>
DIFFEO_INLINE Shared<Real> shared(const Real* features, Real gradient, Normalizer<Real> normalize) noexcept {
  const Real first = normalized(features[0], normalize);
  if constexpr (Factor == 1) {
    return {first > Real{0} ? gradient : Real{0}, Real{0}};
  } else {
    const Real second = normalized(features[1], normalize);
    const Real passed = (second > first ? second : first) > Real{0} ? gradient : Real{0};
    return {second > first ? Real{0} : passed, second > first ? passed : Real{0}};
  }
}

template <int Factor, class Real>
DIFFEO_INLINE GradientSums gradient_sums(const ChannelRows<const Real>& features,
                                         const ChannelRows<const Real>& gradients, Normalizer<Real> normalize,
                                         Real center) noexcept {
  const auto part = [&](auto row, auto step) {
    return shared<Factor>(row_of(features, row) + Factor * step, row_of(gradients, row)[step], normalize);
  };
  const double sum = sum_over<Real>(gradients.cases, gradients.steps, [&](auto row, auto step) {
    const Shared<Real> each = part(row, step);
    return each.first + each.second;
  });
  const double with_feature = sum_over<Real>(gradients.cases, gradients.steps, [&](auto row, auto step) {
    const Shared<Real> each = part(row, step);
    const Real* const feature = row_of(features, row) + Factor * step;
    Real result = each.first * (feature[0] - center);
    if constexpr (Factor == 2) result += each.second * (feature[1] - center);
    return result;
  });
  return {sum, with_feature};
}

template <int Factor, class Real>
DIFFEO_INLINE void give_back(const ChannelRows<const Real>& features, const ChannelRows<const Real>& gradients,
                             Normalizer<Real> normalize, Answer<Real> answer,
                             const ChannelRows<Real>& by_features) noexcept {
  for (std::int64_t item = 0; item < features.cases; ++item) {
    const Real* const from = row_of(features, item);
    const Real* const gradient = row_of(gradients, item);
    Real* const to = row_of(by_features, item);
    for (std::int64_t i = 0; i < gradients.steps; ++i) {
      const Shared<Real> each = shared<Factor>(from + Factor * i, gradient[i], normalize);
      to[Factor * i] = answer.scale * each.first + answer.slope * from[Factor * i] + answer.offset;
      if constexpr (Factor == 2) {
        to[2 * i + 1] = answer.scale * each.second + answer.slope * from[2 * i + 1] + answer.offset;
      }
    }
    for (std::int64_t i = Factor * gradients.steps; i < features.steps; ++i) {
      to[i] = answer.slope * from[i] + answer.offset;
    }
  }
}

}  // namespace
}  // namespace diffeo::kernels::DIFFEO_TARGET
