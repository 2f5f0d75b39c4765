// What normalised_pooling.cpp does to one channel of a batch, over plain memory.
//
// A channel's rows are `stride` apart, one for each case. Factor 2 pools pairs of steps, factor 1 pools nothing; what
// is left over at the end of an odd row reaches no output, but belongs to the statistics.
#pragma once

#include <array>
#include <cstdint>

namespace diffeo::pooling {

template <class Real>
struct ChannelRows {
  Real* first;
  std::int64_t stride;
  std::int64_t cases;
  std::int64_t steps;

  [[nodiscard]] Real* row(std::int64_t item) const noexcept { return first + item * stride; }
  [[nodiscard]] std::int64_t count() const noexcept { return cases * steps; }
};

/// Many sums side by side, because a single one would wait for each addition; rows are added up in double precision.
template <class Real>
class LaneSums {
 public:
  static constexpr std::int64_t kLanes = 16;

  void add(std::int64_t index, Real value) noexcept { lanes_[static_cast<std::size_t>(index % kLanes)] += value; }
  void end_row() noexcept {
    for (Real& lane : lanes_) {
      total_ += static_cast<double>(lane);
      lane = Real{0};
    }
  }
  [[nodiscard]] double total() const noexcept { return total_; }

 private:
  std::array<Real, kLanes> lanes_{};
  double total_ = 0.0;
};

/// The sum of `value(row, step)` over everything, where `rows` of `steps` steps are walked in blocks of lanes.
template <class Real, class Value>
[[nodiscard]] double sum_over(std::int64_t rows, std::int64_t steps, const Value& value) noexcept {
  constexpr std::int64_t kLanes = LaneSums<Real>::kLanes;
  LaneSums<Real> sums;
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t step = 0;
    for (; step + kLanes <= steps; step += kLanes) {
      for (std::int64_t lane = 0; lane < kLanes; ++lane) sums.add(lane, value(row, step + lane));
    }
    for (; step < steps; ++step) sums.add(step, value(row, step));
    sums.end_row();
  }
  return sums.total();
}

struct Moments {
  double mean;
  double variance;  // biased
};

template <class Real>
[[nodiscard]] Moments moments(const ChannelRows<const Real>& features) noexcept {
  const auto count = static_cast<double>(features.count());
  const double mean =
      sum_over<Real>(features.cases, features.steps, [&](auto row, auto step) { return features.row(row)[step]; }) /
      count;
  const auto centre = static_cast<Real>(mean);
  const double squares = sum_over<Real>(features.cases, features.steps, [&](auto row, auto step) {
    const Real difference = features.row(row)[step] - centre;
    return difference * difference;
  });
  return {mean, squares / count};
}

/// How a feature x is normalised: scale x + shift.
template <class Real>
struct Normaliser {
  Real scale;
  Real shift;

  [[nodiscard]] Real operator()(Real feature) const noexcept { return feature * scale + shift; }
};

template <int Factor, class Real>
void pool(const ChannelRows<const Real>& features, Normaliser<Real> normalise,
          const ChannelRows<Real>& pooled) noexcept {
  for (std::int64_t item = 0; item < features.cases; ++item) {
    const Real* const from = features.row(item);
    Real* const to = pooled.row(item);
    for (std::int64_t i = 0; i < pooled.steps; ++i) {
      Real most = normalise(from[Factor * i]);
      if constexpr (Factor == 2) {
        const Real second = normalise(from[2 * i + 1]);
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
[[nodiscard]] Shared<Real> shared(const Real* features, Real gradient, Normaliser<Real> normalise) noexcept {
  const Real first = normalise(features[0]);
  if constexpr (Factor == 1) {
    return {first > Real{0} ? gradient : Real{0}, Real{0}};
  } else {
    const Real second = normalise(features[1]);
    const Real passed = (second > first ? second : first) > Real{0} ? gradient : Real{0};
    return {second > first ? Real{0} : passed, second > first ? passed : Real{0}};
  }
}

/// What the gradients by a channel's scale and shift are made of.
struct GradientSums {
  double gradient;      // of what is normalised
  double with_feature;  // times the feature's difference from `centre`
};

template <int Factor, class Real>
[[nodiscard]] GradientSums gradient_sums(const ChannelRows<const Real>& features,
                                         const ChannelRows<const Real>& gradients, Normaliser<Real> normalise,
                                         Real centre) noexcept {
  const auto part = [&](auto row, auto step) {
    return shared<Factor>(features.row(row) + Factor * step, gradients.row(row)[step], normalise);
  };
  const double sum = sum_over<Real>(gradients.cases, gradients.steps, [&](auto row, auto step) {
    const Shared<Real> each = part(row, step);
    return each.first + each.second;
  });
  const double with_feature = sum_over<Real>(gradients.cases, gradients.steps, [&](auto row, auto step) {
    const Shared<Real> each = part(row, step);
    const Real* const feature = features.row(row) + Factor * step;
    Real result = each.first * (feature[0] - centre);
    if constexpr (Factor == 2) result += each.second * (feature[1] - centre);
    return result;
  });
  return {sum, with_feature};
}

/// scale g + slope x + offset for every feature x, g being what reaches it: the last two are how the statistics answer.
template <class Real>
struct Answer {
  Real scale;
  Real slope;
  Real offset;
};

template <int Factor, class Real>
void give_back(const ChannelRows<const Real>& features, const ChannelRows<const Real>& gradients,
               Normaliser<Real> normalise, Answer<Real> answer, const ChannelRows<Real>& by_features) noexcept {
  for (std::int64_t item = 0; item < features.cases; ++item) {
    const Real* const from = features.row(item);
    const Real* const gradient = gradients.row(item);
    Real* const to = by_features.row(item);
    for (std::int64_t i = 0; i < gradients.steps; ++i) {
      const Shared<Real> each = shared<Factor>(from + Factor * i, gradient[i], normalise);
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

}  // namespace diffeo::pooling
