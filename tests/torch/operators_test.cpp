#include "diffeo/torch/operators.hpp"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "diffeo/flow.hpp"
#include "diffeo/log_slope.hpp"
#include "diffeo/random.hpp"

namespace diffeo {
namespace operators_test {

/// Central differences with this step lose half the digits of a double.
constexpr double kStep = 1e-6;
constexpr double kGradientTolerance = 1e-6;
/// Log-slopes have kinks where points start on vertices.
constexpr double kOffVertices = 0.003;

at::Tensor fields() {
  Random random(5);
  at::Tensor result = at::empty({3, 9}, at::kDouble);
  for (std::int64_t i = 0; i < result.numel(); ++i) result.view(-1)[i] = 0.3 * random.normal();
  return result;
}

at::Tensor grid() { return at::linspace(0.0, 1.0, 21, at::kDouble); }

at::Tensor one() { return at::ones({}, at::kDouble); }

TEST(TorchOperators, FlowAsTheCoreDoes) {
  const at::Tensor velocities = fields();
  const at::Tensor positions = flow(velocities, grid(), one());
  const double* const first = velocities.const_data_ptr<double>() + 9;
  const std::vector<double> row(first, first + 9);
  const at::Tensor points = grid();
  const std::vector<double> expected =
      flow(row, std::vector<double>(points.const_data_ptr<double>(), points.const_data_ptr<double>() + 21));
  for (std::int64_t i = 0; i < 21; ++i)
    EXPECT_EQ(positions[1][i].item<double>(), expected[static_cast<std::size_t>(i)]);
}

TEST(TorchOperators, GiveLogSlopesAsTheCoreDoes) {
  const at::Tensor velocities = fields(), points = grid();
  const at::Tensor log_slopes = flow_log_slope(velocities, points, -one(), -0.5, 2.0);
  const double* const first = velocities.const_data_ptr<double>() + 9;
  const double* const place = points.const_data_ptr<double>();
  const std::vector<double> expected = flow_log_slope(std::vector<double>(first, first + 9),
                                                      std::vector<double>(place, place + 21), -1.0, Domain{-0.5, 2.0});
  for (std::int64_t i = 0; i < 21; ++i)
    EXPECT_EQ(log_slopes[1][i].item<double>(), expected[static_cast<std::size_t>(i)]);
}

/// The gradient of a loss by the first field, against differences.
template <class Loss>
void expect_gradients_like_differences(const Loss& loss) {
  at::Tensor velocities = fields().requires_grad_();
  loss(velocities).backward();
  for (std::int64_t vertex = 1; vertex < 8; ++vertex) {
    at::Tensor up = fields();
    at::Tensor down = fields();
    up[0][vertex] += kStep;
    down[0][vertex] -= kStep;
    const double expected = (loss(up) - loss(down)).template item<double>() / (2.0 * kStep);
    EXPECT_NEAR(velocities.grad()[0][vertex].item<double>(), expected,
                kGradientTolerance * std::max(1.0, std::fabs(expected)));
  }
}

TEST(TorchOperators, PassGradientsFromALossToVelocities) {
  expect_gradients_like_differences([](const at::Tensor& v) {
    const at::Tensor positions = flow(v, grid(), one());
    const at::Tensor series = at::sin(6.0 * grid()).expand({3, 1, 21}).contiguous();
    return sample(series, positions).square().sum() + warp(series, v, one(), 15).sum();
  });
}

TEST(TorchOperators, PassGradientsFromLogSlopesToVelocities) {
  expect_gradients_like_differences(
      [](const at::Tensor& v) { return flow_log_slope(v, grid() + kOffVertices, one()).sin().sum(); });
}

TEST(TorchOperators, FlowByStepsAndBySquaringsNearTheExactFlow) {
  // Fields with kinks: Runge-Kutta is of order 2 across them, scaling and squaring of order 2 in the spacing.
  constexpr double kFarFromExact = 1e-2;
  const at::Tensor points = at::linspace(0.0, 1.0, 401, at::kDouble);
  const at::Tensor exact = flow(fields(), points, one());
  for (const auto& [method, steps] : {std::pair{FlowMethod::numeric, 20}, {FlowMethod::scaling_squaring, 6}}) {
    const at::Tensor approximate = flow(fields(), points, one(), 0.0, 1.0, method, steps);
    const double error = (approximate - exact).abs().max().item<double>();
    EXPECT_LT(error, kFarFromExact) << flow_method_name(method);
    EXPECT_GT(error, 0.0) << flow_method_name(method);
  }
}

TEST(TorchOperators, KnowMethodsByTheirNames) {
  for (const FlowMethod method : {FlowMethod::exact, FlowMethod::numeric, FlowMethod::scaling_squaring}) {
    EXPECT_EQ(flow_method_from_name(flow_method_name(method)), method);
  }
  EXPECT_THROW((void)flow_method_from_name("euler"), std::invalid_argument);
}

TEST(TorchOperators, InvertByNegativeTime) {
  const at::Tensor there = flow(fields(), grid(), one());
  const at::Tensor back = flow(fields(), there, -one());
  EXPECT_TRUE(at::allclose(back, grid().expand({3, 21}), 1e-12, 1e-12));
}

TEST(TorchOperators, ReadStridedMemory) {
  const at::Tensor velocities = fields().t().contiguous().t();
  EXPECT_TRUE(at::equal(flow(velocities, grid(), one()), flow(fields(), grid(), one())));
}

TEST(TorchOperators, RefuseByName) {
  try {
    (void)flow(fields(), at::zeros({2, 5}, at::kDouble), one());
    FAIL();
  } catch (const c10::Error& error) {
    EXPECT_NE(std::string(error.what_without_backtrace()).find("points: expected shape (n,) or (3, n), got [2, 5]"),
              std::string::npos)
        << error.what_without_backtrace();
  }
}

}  // namespace operators_test
}  // namespace diffeo
