#include "numerics/lbfgs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace diffeo::numerics {
namespace lbfgs_test {

/// 100 (y - x^2)^2 + (1 - x)^2, summed over neighbors: a curved valley with its floor at (1, 1, ...).
double rosenbrock(std::span<const double> x, std::span<double> gradient) {
  double value = 0;
  std::fill(gradient.begin(), gradient.end(), 0.0);
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    const double rise = x[i + 1] - x[i] * x[i];
    value += 100 * rise * rise + (1 - x[i]) * (1 - x[i]);
    gradient[i] += -400 * rise * x[i] - 2 * (1 - x[i]);
    gradient[i + 1] += 200 * rise;
  }
  return value;
}

TEST(Lbfgs, FindsTheFloorOfACurvedValley) {
  std::vector<double> x = {-1.2, 1, -0.5, 2};
  const LbfgsResult result =
      minimize(rosenbrock, x, {.max_iterations = 500, .relative_decrease = 0, .gradient_limit = 1e-10});
  EXPECT_TRUE(result.converged);
  EXPECT_LT(result.evaluations, 200u);
  for (const double value : x) EXPECT_NEAR(value, 1, 1e-8);
}

TEST(Lbfgs, NeverGoesUp) {
  std::vector<double> x = {-1.2, 1, 5, -3, 0.1};
  const LbfgsResult result = minimize(rosenbrock, x, {.max_iterations = 60});
  ASSERT_EQ(result.history.size(), result.iterations + 1);
  for (std::size_t k = 1; k < result.history.size(); ++k) EXPECT_LT(result.history[k], result.history[k - 1]);
}

TEST(Lbfgs, SolvesAQuadraticOfWidelySpreadCurvatures) {
  const auto quadratic = [](std::span<const double> x, std::span<double> gradient) {
    double value = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double curvature = std::pow(10.0, static_cast<double>(i));
      value += 0.5 * curvature * (x[i] - 3) * (x[i] - 3);
      gradient[i] = curvature * (x[i] - 3);
    }
    return value;
  };
  std::vector<double> x(6, 0.0);
  const LbfgsResult result =
      minimize(quadratic, x, {.max_iterations = 300, .relative_decrease = 0, .gradient_limit = 1e-8});
  EXPECT_TRUE(result.converged);
  for (const double value : x) EXPECT_NEAR(value, 3, 1e-7);
}

TEST(Lbfgs, StopsAtOnceAtAMinimum) {
  std::vector<double> x(3, 1.0);
  const LbfgsResult result = minimize(rosenbrock, x, {});
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.iterations, 0u);
  EXPECT_EQ(result.evaluations, 1u);
}

TEST(Lbfgs, StepsBackFromWhereTheFunctionIsNotDefined) {
  const auto barrier = [](std::span<const double> x, std::span<double> gradient) {
    gradient[0] = 1 - 0.1 / x[0];
    return x[0] > 0 ? x[0] - 0.1 * std::log(x[0]) : std::numeric_limits<double>::infinity();
  };
  std::vector<double> x = {0.9};
  const LbfgsResult result =
      minimize(barrier, x, {.max_iterations = 100, .relative_decrease = 0, .gradient_limit = 1e-6});
  EXPECT_TRUE(result.converged);
  EXPECT_NEAR(x[0], 0.1, 1e-6);
}

TEST(Lbfgs, SaysWhenItsIterationsAreUsedUp) {
  std::vector<double> x = {-1.2, 1};
  const LbfgsResult result =
      minimize(rosenbrock, x, {.max_iterations = 3, .relative_decrease = 0, .gradient_limit = 0});
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(result.iterations, 3u);
}

TEST(LineSearch, SatisfiesTheStrongWolfeConditions) {
  const auto value = [](double x) { return std::sin(3 * x + 0.3) - std::exp(-(x - 4) * (x - 4)) + 0.05 * x * x; };
  const auto slope = [](double x) {
    return 3 * std::cos(3 * x + 0.3) + 2 * (x - 4) * std::exp(-(x - 4) * (x - 4)) + 0.1 * x;
  };
  for (const double start : {0.6, 2.6, 4.9, -5.8}) {
    ASSERT_LT(slope(start), 0);
    for (const double first : {1e-6, 1e-3, 1.0, 1000.0}) {
      LineSearch search(value(start), slope(start), first);
      double step = 0;
      for (int count = 0; count < 60 && !search.finished(); ++count) {
        step = search.step();
        search.tell(value(start + step), slope(start + step));
      }
      ASSERT_TRUE(search.finished());
      EXPECT_LE(value(start + step), value(start) + LineSearch::kSufficientDecrease * step * slope(start));
      EXPECT_LE(std::fabs(slope(start + step)), -LineSearch::kCurvature * slope(start));
    }
  }
}

}  // namespace lbfgs_test
}  // namespace diffeo::numerics
