// What must hold for every field, on seeded random ones.
//
// Tolerances are not numbers that pass: a computed flow must be the exact flow of slightly different arguments. Because
// the flow increases with the point and (forward in time) with every velocity, lowering all arguments by a few units in
// the last place and raising them encloses it, whatever the conditioning (Enclosure).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "diffeo/flow.hpp"
#include "support/random_problems.hpp"
#include "support/under_test.hpp"
#include "support/walking_flow.hpp"

namespace diffeo {
namespace flow_property_test {

using testing::all_finite;
using testing::derivative_tolerance;
using testing::Direction;
using testing::dot;
using testing::field_count;
using testing::for_random_problems;
using testing::kBackwardErrors;
using testing::kPoints;
using testing::kRoundoff;
using testing::Problem;
using testing::RandomField;
using testing::view;
using testing::with_neighbors;

template <class Real>
std::vector<Real> flow_of(const RandomField& field, const std::vector<Real>& velocities,
                          const std::vector<Real>& points, double time) {
  return under_test::flow(velocities, points, time, field.domain);
}

/// Bounds on what the flow of perturbed arguments can be.
template <class Real>
struct Enclosure {
  std::vector<Real> low, high;

  /// The points themselves, perturbed.
  explicit Enclosure(const Problem<Real>& problem) : low(problem.points), high(problem.points) { widen(problem); }

  /// Flows on: the low end under lowered velocities, the high end under raised ones. Beyond the domain the field is
  /// continued affinely and one end vertex counts with the opposite sign, so neighbors are also moved oppositely.
  void advance(const Problem<Real>& problem, double time) {
    std::vector<Real> from = low;
    from.insert(from.end(), high.begin(), high.end());
    from = finite(std::move(from));
    const std::vector<Real> to = perturbed_flows(problem, from, time);
    const std::size_t count = low.size();
    std::fill(low.begin(), low.end(), std::numeric_limits<Real>::infinity());
    std::fill(high.begin(), high.end(), -std::numeric_limits<Real>::infinity());
    for (std::size_t row = 0; row < to.size(); row += from.size()) {
      for (std::size_t i = 0; i < count; ++i) {
        low[i] = std::min(low[i], to[row + i]);
        high[i] = std::max(high[i], to[row + count + i]);
      }
    }
    widen(problem);
  }
  [[nodiscard]] bool holds(std::size_t i, Real value) const { return low[i] <= value && value <= high[i]; }

 private:
  /// Of all points under each of four perturbed fields, one row each, in one call: most of the time goes into setting
  /// up.
  static std::vector<Real> perturbed_flows(const Problem<Real>& problem, const std::vector<Real>& points, double time) {
    std::vector<Real> velocities;
    for (const double even : {-1.0, 1.0}) {
      for (const double odd : {-1.0, 1.0}) add_perturbed(velocities, problem.velocities, even, odd);
    }
    constexpr std::size_t kFields = 4;
    std::vector<Real> positions(kFields * points.size());
    under_test::flow<Real>({{velocities.data(), kFields, problem.velocities.size()},
                            std::span<const Real>(points),
                            {&time, 1},
                            problem.field.domain},
                           {positions.data(), kFields, points.size()}, 1);
    return positions;
  }
  static void add_perturbed(std::vector<Real>& all, const std::vector<Real>& velocities, double even, double odd) {
    for (std::size_t j = 0; j < velocities.size(); ++j) {
      const double change = kBackwardErrors * kRoundoff<Real> * (j % 2 == 0 ? even : odd);
      all.push_back(velocities[j] + static_cast<Real>(change * std::fabs(static_cast<double>(velocities[j]))));
    }
  }
  void widen(const Problem<Real>& problem) {
    for (std::size_t i = 0; i < low.size(); ++i) {
      if (std::isfinite(low[i])) low[i] -= static_cast<Real>(problem.slack(static_cast<double>(low[i])));
      if (std::isfinite(high[i])) high[i] += static_cast<Real>(problem.slack(static_cast<double>(high[i])));
    }
  }
  /// Infinity is no argument for a flow; the largest number is.
  static std::vector<Real> finite(std::vector<Real> values) {
    constexpr Real kMost = std::numeric_limits<Real>::max();
    for (Real& value : values) value = std::clamp(value, -kMost, kMost);
    return values;
  }
};

template <class Real>
void expect_never_nan_and_infinite_only_in_truth(const Problem<Real>& problem, const std::vector<Real>& positions) {
  for (std::size_t i = 0; i < kPoints; ++i) {
    EXPECT_FALSE(std::isnan(positions[i])) << "x = " << problem.points[i];
    if (!std::isinf(positions[i])) continue;
    const std::vector<long double> velocities(problem.velocities.begin(), problem.velocities.end());
    const testing::WalkingFlow walk(velocities, problem.field.domain);
    const double x = static_cast<double>(problem.points[i]);
    long double farthest = 0;
    for (const double shift : {-1.0, 0.0, 1.0}) {
      farthest = std::max(farthest, std::fabs(walk(x + shift * problem.slack(x), problem.field.time)));
    }
    EXPECT_GT(farthest, 0.99L * std::numeric_limits<Real>::max()) << "x = " << x;
  }
}

template <class Real>
void expect_monotone(const Problem<Real>& problem, const std::vector<Real>& positions) {
  for (std::size_t i = 0; i + 1 < kPoints; ++i) {
    if (std::isinf(positions[i]) || std::isinf(positions[i + 1])) continue;
    const double drop = static_cast<double>(positions[i]) - static_cast<double>(positions[i + 1]);
    EXPECT_LE(drop, problem.slack(static_cast<double>(positions[i])))
        << "between " << problem.points[i] << " and " << problem.points[i + 1];
  }
}

template <class Real>
void expect_fixed_borders(const Problem<Real>& problem) {
  if (problem.velocities.front() != 0 || problem.velocities.back() != 0) return;
  const std::vector<Real> borders = {static_cast<Real>(problem.field.domain.lower),
                                     static_cast<Real>(problem.field.domain.upper)};
  EXPECT_EQ(problem.flow(borders, problem.field.time), borders);
}

/// phi(phi(x, s), t) = phi(x, s + t): both lie in what perturbed arguments can give, and so does the way back.
template <class Real>
void expect_group(const Problem<Real>& problem, const std::vector<Real>& positions, Random& random) {
  if (!all_finite(positions)) return;
  const double first = problem.field.time;
  const double second = testing::uniform(random, -10, 10);
  Enclosure<Real> enclosure(problem);
  enclosure.advance(problem, first);
  Enclosure<Real> back = enclosure;
  const std::vector<Real> together = problem.flow(problem.points, first + second);
  enclosure.advance(problem, second);
  back.advance(problem, -first);
  for (std::size_t i = 0; i < kPoints; ++i) {
    EXPECT_TRUE(enclosure.holds(i, together[i]))
        << "x = " << problem.points[i] << ", then " << second << ": " << together[i] << " is not in ["
        << enclosure.low[i] << ", " << enclosure.high[i] << "]";
    EXPECT_TRUE(back.holds(i, problem.points[i])) << "x = " << problem.points[i] << " is not in [" << back.low[i]
                                                  << ", " << back.high[i] << "] after the way back";
  }
}

template <class Real>
void expect_flow_properties(std::uint64_t count, std::uint64_t skipped) {
  for_random_problems<Real>(
      count,
      [](const Problem<Real>& problem, Random& random) {
        const std::vector<Real> positions = problem.flow(problem.points, problem.field.time);
        expect_never_nan_and_infinite_only_in_truth(problem, positions);
        expect_monotone(problem, positions);
        expect_fixed_borders(problem);
        expect_group(problem, positions, random);
      },
      skipped);
}

/// A million fields take a core minutes: in parts, several cores share them.
constexpr std::uint64_t kParts = 4;
class PartOfFlowProperties : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(PartOfFlowProperties, HoldForRandomFieldsInDouble) {
  const std::uint64_t first = GetParam() * field_count() / kParts;
  expect_flow_properties<double>((GetParam() + 1) * field_count() / kParts - first, first);
}

INSTANTIATE_TEST_SUITE_P(FlowProperties, PartOfFlowProperties, ::testing::Range(std::uint64_t{0}, kParts));

TEST(FlowProperties, HoldForRandomFieldsInFloat) { expect_flow_properties<float>(field_count() / 4, 0); }

TEST(FlowProperties, AgreesWithAWalkFromCellToCell) {
  for_random_problems<double>(field_count() / 10, [](const Problem<double>& problem, Random&) {
    const std::vector<double> positions = problem.flow(problem.points, problem.field.time);
    const testing::WalkingFlow walk({problem.velocities.begin(), problem.velocities.end()}, problem.field.domain);
    Enclosure<double> enclosure(problem);
    enclosure.advance(problem, problem.field.time);
    for (std::size_t i = 0; i < kPoints; ++i) {
      const auto walked = static_cast<double>(walk(problem.points[i], problem.field.time));
      EXPECT_TRUE(enclosure.holds(i, walked))
          << "x = " << problem.points[i] << ": walked to " << walked << ", flowed to " << positions[i];
      EXPECT_TRUE(enclosure.holds(i, positions[i]));
    }
  });
}

TEST(FlowProperties, OfAFieldAtRestIsTheIdentityToTheLastBit) {
  for_random_problems<double>(field_count() / 10, [](const Problem<double>& problem, Random&) {
    const std::vector<double> rest(problem.velocities.size(), 0.0);
    EXPECT_EQ(flow_of(problem.field, rest, problem.points, problem.field.time), problem.points);
    EXPECT_EQ(problem.flow(problem.points, 0.0), problem.points);
  });
}

std::vector<double> jvp(const Problem<double>& problem, const std::vector<double>& velocities,
                        const std::vector<double>& points, double time) {
  std::vector<double> out(kPoints);
  flow_jvp<double>(view(problem),
                   {.velocities = std::span(velocities), .points = std::span(points), .times = {&time, 1}},
                   std::span(out), 1);
  return out;
}

/// The product of cotangents, Jacobian and directions without any cancellation. The derivatives by the two vertices of
/// a cell carry each other's roundings.
double size_of_product(const Problem<double>& problem, const Direction& direction) {
  const std::size_t vertices = problem.velocities.size();
  std::vector<double> jacobian(kPoints * vertices), by_point(kPoints), by_time(kPoints);
  flow_jacobian<double>(view(problem), {jacobian.data(), kPoints, vertices}, 1);
  flow_derivatives<double>(view(problem), {.by_point = std::span(by_point), .by_time = std::span(by_time)}, 1);
  const std::vector<double> velocities = with_neighbors(direction.velocities);
  double size = 0;
  for (std::size_t i = 0; i < kPoints; ++i) {
    double row = std::fabs(by_point[i] * direction.points[i]) + std::fabs(by_time[i] * direction.time);
    for (std::size_t j = 0; j < vertices; ++j) row += std::fabs(jacobian[i * vertices + j]) * velocities[j];
    size += std::fabs(direction.cotangents[i]) * row;
  }
  return size;
}

TEST(FlowProperties, ProductsWithTheJacobianFromBothSidesAgree) {
  std::uint64_t compared = 0;
  for_random_problems<double>(field_count() / 10, [&](const Problem<double>& problem, Random& random) {
    const Direction direction(problem, random);
    std::vector<double> by_velocity(problem.velocities.size()), by_point(kPoints);
    double by_time = 0;
    under_test::flow_vjp<double>(
        view(problem), std::span(direction.cotangents),
        {.velocities = std::span(by_velocity), .points = std::span(by_point), .times = {&by_time, 1}}, 1);
    const std::vector<double> forward = jvp(problem, direction.velocities, direction.points, direction.time);
    const double size = size_of_product(problem, direction);
    if (!std::isfinite(size) || derivative_tolerance(problem) > 1e-3) return;
    const double from_left =
        dot(by_velocity, direction.velocities) + dot(by_point, direction.points) + by_time * direction.time;
    EXPECT_NEAR(from_left, dot(direction.cotangents, forward), derivative_tolerance(problem) * size);
    ++compared;
  });
  EXPECT_GT(compared, field_count() / 50);
}

TEST(FlowProperties, DerivativesAreLimitsOfDifferences) {
  // Fields as training sees them: elsewhere differences over a finite step meet kinks. Central differences in long
  // double, step 1e-6: truncation about 1e-12 of the third derivative, cancellation 1e-13.
  constexpr long double kStep = 1e-6L;
  constexpr double kDifferenceTolerance = 1e-6;
  std::uint64_t compared = 0, close = 0;
  for_random_problems<double>(field_count() / 100, [&](const Problem<double>& drawn, Random& random) {
    Problem<double> problem = drawn;
    for (double& v : problem.velocities) v = 0.3 * random.normal();
    problem.field.time = testing::uniform(random, -1, 1);
    problem.field.domain = {};
    for (double& x : problem.points) x = random.uniform();
    const Direction direction(problem, random);
    const std::vector<double> exact = jvp(problem, direction.velocities, direction.points, direction.time);
    const auto at = [&](std::size_t i, long double step) {
      std::vector<long double> v(problem.velocities.begin(), problem.velocities.end());
      for (std::size_t j = 0; j < v.size(); ++j) v[j] += step * direction.velocities[j];
      return testing::WalkingFlow(v, problem.field.domain)(problem.points[i] + step * direction.points[i],
                                                           problem.field.time + step * direction.time);
    };
    for (std::size_t i = 0; i < kPoints; ++i) {
      const auto difference = static_cast<double>((at(i, kStep) - at(i, -kStep)) / (2 * kStep));
      ++compared;
      close += std::fabs(difference - exact[i]) <= kDifferenceTolerance * (1 + std::fabs(exact[i])) ? 1 : 0;
    }
  });
  // The second derivative jumps where a trajectory ends or starts at a vertex: few draws are that close to one.
  EXPECT_GE(static_cast<double>(close), 0.98 * static_cast<double>(compared));
}

}  // namespace flow_property_test
}  // namespace diffeo
