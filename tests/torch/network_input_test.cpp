#include "diffeo/torch/network_input.hpp"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <limits>

namespace diffeo {
namespace network_input_test {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
/// Positions and interpolation round a few times.
constexpr double kRounding = 1e-14;

at::Tensor series_of(std::vector<double> values, std::int64_t cases, std::int64_t channels) {
  return torch::tensor(values, at::kDouble).view({cases, channels, -1});
}

void expect_close(const at::Tensor& found, const at::Tensor& expected) {
  EXPECT_TRUE(at::allclose(found, expected, kRounding, kRounding)) << found << expected;
}

TEST(NetworkInput, GivesACompleteSeriesOfTheRightLengthBack) {
  const at::Tensor series = series_of({1, 2, 3, 4, 5, 6}, 1, 2);
  EXPECT_TRUE(at::equal(network_input(series, 3), series));
}

TEST(NetworkInput, DoesNotDependOnPadding) {
  const at::Tensor series = at::sin(at::arange(40, at::kDouble)).view({2, 1, 20});
  const at::Tensor padding = at::full({2, 1, 7}, kMissing, at::kDouble);
  expect_close(network_input(at::cat({series, padding}, 2), 20), series);
  expect_close(network_input(at::cat({series, padding}, 2), 33), network_input(series, 33));
}

TEST(NetworkInput, ReadsEverySeriesOverItsOwnDuration) {
  const at::Tensor series = series_of({0, 1, 2, 3, 4, 0, 2, 4, kMissing, kMissing}, 2, 1);
  expect_close(network_input(series, 5), series_of({0, 1, 2, 3, 4, 0, 1, 2, 3, 4}, 2, 1));
}

TEST(NetworkInput, FillsGapsBetweenAndBeyondPresentValues) {
  const at::Tensor series = series_of({kMissing, 1, kMissing, kMissing, 4, kMissing, 9, 9, 9, 9, 9, 9}, 1, 2);
  expect_close(network_input(series, 6), series_of({1, 1, 2, 3, 4, 4, 9, 9, 9, 9, 9, 9}, 1, 2));
}

TEST(NetworkInput, ReadsAChannelWithoutValuesAsZero) {
  const at::Tensor series = series_of({kMissing, kMissing, kMissing, 1, 2, 3}, 1, 2);
  expect_close(network_input(series, 3), series_of({0, 0, 0, 1, 2, 3}, 1, 2));
}

TEST(NetworkInput, TakesSeriesOfOneStep) {
  expect_close(network_input(series_of({7}, 1, 1), 4), series_of({7, 7, 7, 7}, 1, 1));
  expect_close(network_input(series_of({7, 8, 9}, 1, 1), 1), series_of({7}, 1, 1));
}

TEST(NetworkInput, PassesFiniteGradientsToPresentValues) {
  at::Tensor series = series_of({0, kMissing, 2, 3, kMissing}, 1, 1).requires_grad_();
  network_input(series, 4).sum().backward();
  EXPECT_TRUE(at::isfinite(series.grad()).all().item<bool>());
  EXPECT_GT(series.grad()[0][0][3].item<double>(), 0.9);
}

TEST(NetworkInput, CountsStepsWithoutPadding) {
  const at::Tensor series = series_of({1, kMissing, 3, kMissing, kMissing, kMissing, kMissing, kMissing}, 2, 1);
  EXPECT_TRUE(at::equal(lengths_without_padding(series), torch::tensor({3, 1}, at::kLong)));
}

TEST(NetworkInput, RefusesOtherShapesAndLengths) {
  EXPECT_THROW((void)network_input(at::zeros({3, 4}), 4), c10::Error);
  EXPECT_THROW((void)network_input(at::zeros({3, 1, 4}), 0), c10::Error);
  EXPECT_THROW((void)network_input(at::zeros({3, 1, 4}, at::kLong), 4), c10::Error);
}

}  // namespace network_input_test
}  // namespace diffeo
