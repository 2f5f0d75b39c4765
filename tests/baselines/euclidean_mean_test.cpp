#include "diffeo/euclidean_mean.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace diffeo {
namespace euclidean_mean_test {

const double kMissing = std::numeric_limits<double>::quiet_NaN();

Dataset cases_of(const std::vector<std::vector<double>>& series, std::size_t channels = 1) {
  Dataset result(channels);
  for (const std::vector<double>& values : series) result.add_case(values);
  return result;
}

TEST(EuclideanMean, AveragesSampleBySample) {
  const Barycenter mean = euclidean_mean(cases_of({{1, 2, 10, 20}, {3, 6, 30, 40}}, 2));
  EXPECT_EQ(mean.channels, 2u);
  EXPECT_EQ(mean.values, (std::vector<double>{2, 4, 20, 30}));
  EXPECT_EQ(mean.cost(), 1 + 4 + 100 + 100);
  EXPECT_TRUE(mean.converged);
}

TEST(EuclideanMean, LeavesMissingValuesOut) {
  const Barycenter mean = euclidean_mean(cases_of({{1, kMissing, kMissing}, {3, 5, kMissing}}));
  EXPECT_EQ(mean.values[0], 2);
  EXPECT_EQ(mean.values[1], 5);
  EXPECT_TRUE(std::isnan(mean.values[2]));
  EXPECT_EQ(mean.cost(), 1);
}

TEST(EuclideanMean, ResamplesToTheLongestOrTheLengthAsked) {
  const Dataset cases = cases_of({{0, 2}, {0, 1, 2, 3, 4}});
  EXPECT_EQ(euclidean_mean(cases).values, (std::vector<double>{0, 0.75, 1.5, 2.25, 3}));
  EXPECT_EQ(euclidean_mean(cases, 3).values, (std::vector<double>{0, 1.5, 3}));
  EXPECT_EQ(euclidean_mean(cases, 1).values, (std::vector<double>{0}));
}

TEST(EuclideanMean, OfOneCaseIsThatCase) {
  EXPECT_EQ(euclidean_mean(cases_of({{0.1, 0.7, -3}})).values, (std::vector<double>{0.1, 0.7, -3}));
}

TEST(EuclideanMean, OfNothingIsRefused) { EXPECT_THROW((void)euclidean_mean(Dataset(1)), std::invalid_argument); }

}  // namespace euclidean_mean_test
}  // namespace diffeo
