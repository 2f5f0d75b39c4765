#include "diffeo/numeric_flow.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "core/differences.hpp"
#include "diffeo/tessellation.hpp"

namespace diffeo {
namespace numeric_flow_test {

using testing::expect_gradients_like_differences;
using testing::gradients_of;
using testing::largest_difference;
using testing::OwnedProblem;
using testing::random_values;

/// The two methods, with their gradients, as the tests call them.
struct RungeKutta {
  std::size_t steps;
  std::size_t threads = 0;
  void operator()(const FlowProblem<double>& problem, Rows<double> positions) const {
    flow_numeric(problem, steps, positions, threads);
  }
  void operator()(const FlowProblem<double>& problem, Rows<const double> cotangents,
                  FlowGradients<double> gradients) const {
    flow_numeric_vjp(problem, steps, cotangents, gradients, threads);
  }
};

struct Alternating {
  AlternatingOptions options;
  std::size_t threads = 0;
  void operator()(const FlowProblem<double>& problem, Rows<double> positions) const {
    flow_alternating(problem, options, positions, threads);
  }
  void operator()(const FlowProblem<double>& problem, Rows<const double> cotangents,
                  FlowGradients<double> gradients) const {
    flow_alternating_vjp(problem, options, cotangents, gradients, threads);
  }
};

const auto kExact = [](const FlowProblem<double>& problem, Rows<double> positions) { flow(problem, positions); };

/// Three random fields of seven cells; a shared row of points, some of them outside the domain, and one time.
OwnedProblem random_problem(unsigned seed, double time = 1) {
  return {3, random_values(3 * 8, -0.4, 0.4, seed), random_values(20, -0.2, 1.2, seed + 1), {time}};
}

/// The same with points and times per row.
OwnedProblem random_problem_per_row(unsigned seed) {
  return {
      3,      random_values(3 * 8, -0.4, 0.4, seed), random_values(3 * 10, -1.2, 1.2, seed + 1), {1.0, -0.7, 0.4}, 3,
      {-1, 1}};
}

/// Of the error against the exact flow, from `steps` steps to eight times as many.
template <class Method>
double fitted_order(const OwnedProblem& problem, const Method& coarse, const Method& fine) {
  const auto exact = problem.positions(kExact);
  const double coarse_error = largest_difference(problem.positions(coarse), exact);
  const double fine_error = largest_difference(problem.positions(fine), exact);
  return std::log2(coarse_error / fine_error) / 3;
}

TEST(FlowNumeric, HasOrderFourInsideOneCell) {
  const OwnedProblem linear{1, {0.4, -0.9}, {-0.3, 0.1, 0.8, 1.4}, {1.0}};
  constexpr double kOrderTolerance = 0.2;  // the next term of the error, relative to this one, is about 1/steps
  EXPECT_NEAR(fitted_order(linear, RungeKutta{4}, RungeKutta{32}), 4, kOrderTolerance);
}

TEST(FlowNumeric, ConvergesAcrossManyCellsWithOrderTwo) {
  const OwnedProblem problem = random_problem(1);
  // The leading error depends on where in its step a trajectory meets a vertex, so the fitted order wavers.
  EXPECT_GT(fitted_order(problem, RungeKutta{64}, RungeKutta{512}), 1.5);
  constexpr double kErrorOfManySteps = 1e-6;  // (time/steps)^2 times the jump of the slope, about 5
  EXPECT_LT(largest_difference(problem.positions(RungeKutta{4096}), problem.positions(kExact)), kErrorOfManySteps);
}

TEST(FlowAlternating, IsExactWhileNoVertexIsCrossed) {
  constexpr double kRounding = 64 * std::numeric_limits<double>::epsilon();  // a few per step, grown by exp(0.9)
  const OwnedProblem linear{1, {0.4, -0.9}, {-0.3, 0.1, 0.8, 1.4}, {1.0}};
  EXPECT_LT(largest_difference(linear.positions(Alternating{{7, 1}}), linear.positions(kExact)), kRounding);
}

TEST(FlowAlternating, ConvergesAcrossManyCells) {
  const OwnedProblem problem = random_problem(2);
  const auto exact = problem.positions(kExact);
  EXPECT_LT(largest_difference(problem.positions(Alternating{{10, 10}}), exact),
            1e-3);  // the paper's five decimals on average
  EXPECT_LT(largest_difference(problem.positions(Alternating{{400, 10}}), exact), 1e-6);
  EXPECT_LT(largest_difference(problem.positions(Alternating{{10, 400}}), exact), 1e-6);
}

TEST(FlowNumeric, ComesBackWithTheTimeReversed) {
  OwnedProblem problem = random_problem(3, -0.8);
  constexpr double kErrorOfManySteps = 1e-5;
  EXPECT_LT(largest_difference(problem.positions(RungeKutta{2000}), problem.positions(kExact)), kErrorOfManySteps);
  EXPECT_LT(largest_difference(problem.positions(Alternating{{200, 10}}), problem.positions(kExact)),
            kErrorOfManySteps);
}

template <class Method>
void expect_gradients_of_the_scheme(const Method& method) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    for (const OwnedProblem& problem :
         {random_problem(seed), random_problem(seed, -1.3), random_problem_per_row(seed)}) {
      const auto cotangents = random_values(problem.batch * problem.columns(), -1, 1, seed + 99);
      SCOPED_TRACE(seed);
      expect_gradients_like_differences(problem, cotangents, method);
    }
  }
}

TEST(FlowNumericVjp, IsTheGradientOfTheScheme) {
  expect_gradients_of_the_scheme(RungeKutta{1});
  expect_gradients_of_the_scheme(RungeKutta{5});
}

TEST(FlowAlternatingVjp, IsTheGradientOfTheScheme) {
  expect_gradients_of_the_scheme(Alternating{{1, 1}});
  expect_gradients_of_the_scheme(Alternating{{4, 3}});
}

TEST(FlowAlternatingVjp, IsAccurateWhereTheSlopeIsTinyOrNot) {
  for (const double slope : {0.0, 1e-12, 1e-4, 0.49, 0.51, -0.51, 3.0, -3.0}) {
    const OwnedProblem linear{1, {0.2, 0.2 + slope}, {0.1, 0.5}, {1.0}};
    SCOPED_TRACE(slope);
    expect_gradients_like_differences(linear, {1.0, -0.5}, Alternating{{1, 1}});
  }
}

TEST(FlowNumericVjp, SumsOverTheBatchWhatTheBatchShares) {
  const OwnedProblem shared = random_problem(4);
  const auto cotangents = random_values(3 * 20, -1, 1, 5);
  OwnedProblem repeated = shared;
  repeated.point_rows = 3;
  repeated.times.assign(3, 1.0);
  for (int i = 0; i < 2; ++i) repeated.points.insert(repeated.points.end(), shared.points.begin(), shared.points.end());
  const auto sums = gradients_of(shared, cotangents, RungeKutta{5});
  const auto parts = gradients_of(repeated, cotangents, RungeKutta{5});
  EXPECT_EQ(sums.velocities, parts.velocities);
  EXPECT_DOUBLE_EQ(sums.times[0], parts.times[0] + parts.times[1] + parts.times[2]);
  for (std::size_t j = 0; j < 20; ++j) {
    EXPECT_NEAR(sums.points[j], parts.points[j] + parts.points[20 + j] + parts.points[40 + j], 1e-15);
  }
}

template <class Method>
void expect_identity(const Method& method) {
  OwnedProblem still = random_problem(6, 0.0);
  const auto positions = still.positions(method);
  for (std::size_t i = 0; i < positions.size(); ++i) EXPECT_EQ(positions[i], still.points[i % 20]);
  OwnedProblem zero = random_problem(6);
  std::fill(zero.velocities.begin(), zero.velocities.end(), 0.0);
  EXPECT_EQ(zero.positions(method), positions);
  const auto by = gradients_of(still, std::vector<double>(60, 1.0), method);
  EXPECT_EQ(by.points, std::vector<double>(20, 3.0));
  EXPECT_EQ(by.velocities, std::vector<double>(24, 0.0));
}

TEST(FlowNumeric, ForNoTimeOrNoVelocityIsTheIdentityToTheLastBit) {
  expect_identity(RungeKutta{3});
  expect_identity(Alternating{{3, 2}});
}

TEST(FlowNumericVjp, AtAVertexIsDecidedByTheCellToTheRight) {
  const Tessellation tessellation(49, -0.3, 0.71);  // vertices of all roundings
  for (std::size_t j = 1; j < 49; ++j) {
    OwnedProblem kink{1, std::vector<double>(50, 0.0), {tessellation.vertex(j)}, {1.0}, 1, {-0.3, 0.71}};
    kink.velocities[j + 1] = 3 * tessellation.spacing();  // a fixed point, slope 0 on its left
    EXPECT_DOUBLE_EQ(gradients_of(kink, {1.0}, RungeKutta{1}).points[0], 1 + 3 + 9 / 2.0 + 27 / 6.0 + 81 / 24.0) << j;
    EXPECT_DOUBLE_EQ(gradients_of(kink, {1.0}, Alternating{{1, 1}}).points[0], std::exp(3.0)) << j;
  }
}

TEST(FlowNumeric, GivesTheSameBitsForAnyNumberOfThreads) {
  const OwnedProblem problem{200, random_values(200 * 8, -0.4, 0.4, 1), random_values(50, -0.2, 1.2, 2), {1.0}};
  const auto cotangents = random_values(200 * 50, -1, 1, 3);
  const auto compare = [&](auto method) {
    method.threads = 1;
    const auto positions = problem.positions(method);
    const auto by = gradients_of(problem, cotangents, method);
    method.threads = 5;
    EXPECT_EQ(problem.positions(method), positions);
    const auto again = gradients_of(problem, cotangents, method);
    EXPECT_EQ(again.velocities, by.velocities);
    EXPECT_EQ(again.points, by.points);
    EXPECT_EQ(again.times, by.times);
  };
  compare(RungeKutta{6});
  compare(Alternating{{3, 3}});
}

TEST(FlowNumeric, InFloatIsThatInDoubleRounded) {
  const std::vector<float> velocities = {0.25f, -0.5f, 0.125f};
  const std::vector<float> points = {0.1f, 0.6f, 0.9f};
  const std::vector<double> time = {1.0};
  std::vector<float> positions(3);
  flow_numeric<float>({std::span(velocities), std::span(points), time}, 10, std::span(positions));
  const OwnedProblem widened{1, {0.25, -0.5, 0.125}, {points.begin(), points.end()}, time};
  const auto expected = widened.positions(RungeKutta{10});
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(positions[i], static_cast<float>(expected[i]));
}

TEST(FlowNumeric, RefusesNumbersOfStepsOutsideTheirRange) {
  const OwnedProblem problem = random_problem(7);
  EXPECT_THROW((void)problem.positions(RungeKutta{0}), std::invalid_argument);
  EXPECT_THROW((void)problem.positions(RungeKutta{kMaximumSteps + 1}), std::invalid_argument);
  EXPECT_THROW((void)problem.positions(Alternating{{0, 1}}), std::invalid_argument);
  EXPECT_THROW((void)problem.positions(Alternating{{1, 0}}), std::invalid_argument);
  EXPECT_THROW((void)gradients_of(problem, std::vector<double>(60), RungeKutta{0}), std::invalid_argument);
  EXPECT_THROW((void)gradients_of(problem, std::vector<double>(60), Alternating{{1, 0}}), std::invalid_argument);
}

TEST(FlowNumeric, RefusesArgumentsThatDoNotFitOrAreNotFinite) {
  const auto expect_refused = [](auto spoil) {
    OwnedProblem problem = random_problem_per_row(8);
    spoil(problem);
    EXPECT_THROW((void)problem.positions(RungeKutta{1}), std::invalid_argument);
    EXPECT_THROW((void)problem.positions(Alternating{{1, 1}}), std::invalid_argument);
  };
  expect_refused([](OwnedProblem& problem) { problem.velocities[3] = std::nan(""); });
  expect_refused([](OwnedProblem& problem) { problem.points[3] = std::numeric_limits<double>::infinity(); });
  expect_refused([](OwnedProblem& problem) { problem.times[1] = std::nan(""); });
  expect_refused([](OwnedProblem& problem) { problem.times.resize(2); });
  expect_refused([](OwnedProblem& problem) { problem.point_rows = 2; });
  expect_refused([](OwnedProblem& problem) { problem.velocities.resize(3); });
  expect_refused([](OwnedProblem& problem) { problem.domain = {1, 1}; });
}

TEST(FlowNumericVjp, RefusesGradientsOfAnotherShape) {
  const OwnedProblem problem = random_problem(9);
  std::vector<double> out(24);
  const std::vector<double> cotangents(60);
  const Rows<const double> weights(cotangents.data(), 3, 20);
  const auto call = [&](FlowGradients<double> gradients) { flow_numeric_vjp(problem.view(), 1, weights, gradients); };
  EXPECT_THROW(call({{out.data(), 1, 8}, {}, {}}), std::invalid_argument);
  EXPECT_THROW(call({{}, {out.data(), 1, 19}, {}}), std::invalid_argument);
  EXPECT_THROW(call({{}, {}, std::span(out.data(), 3)}), std::invalid_argument);
  EXPECT_THROW(flow_numeric_vjp(problem.view(), 1, {cotangents.data(), 2, 20}, {}), std::invalid_argument);
}

}  // namespace numeric_flow_test
}  // namespace diffeo
