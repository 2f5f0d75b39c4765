#include "diffeo/soft_dtw_barycenter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "baselines/random_series.hpp"
#include "diffeo/euclidean_mean.hpp"
#include "diffeo/soft_dtw.hpp"

namespace diffeo {
namespace soft_dtw_barycenter_test {

using testing::on_every_instruction_set;
using testing::random_dataset;
using testing::random_series;
using testing::view;

constexpr std::uint64_t kSeed = 20240904;
constexpr double kTolerance = 1000 * std::numeric_limits<double>::epsilon();

double summed_soft_dtw(SeriesView<const double> center, const Dataset& cases, double gamma) {
  double sum = 0;
  for (std::size_t item = 0; item < cases.cases(); ++item) sum += soft_dtw(center, cases.series(item), gamma);
  return sum;
}

TEST(SoftDtwBarycenter, LowersTheSummedSoftDtwAndReportsIt) {
  Random random(kSeed);
  for (const double gamma : {0.1, 1.0, 10.0}) {
    const Dataset cases = random_dataset(random, 11, 2, 20, 30);
    const Barycenter result = soft_dtw_barycenter(cases, {.gamma = gamma});
    EXPECT_NEAR(result.cost(), summed_soft_dtw(result.series(), cases, gamma), kTolerance * std::fabs(result.cost()));
    EXPECT_NEAR(result.history.front(), summed_soft_dtw(euclidean_mean(cases).series(), cases, gamma),
                kTolerance * std::fabs(result.history.front()));
    ASSERT_EQ(result.history.size(), result.iterations + 1);
    for (std::size_t k = 1; k < result.history.size(); ++k) EXPECT_LT(result.history[k], result.history[k - 1]);
    EXPECT_LT(result.cost(), result.history.front());
  }
}

TEST(SoftDtwBarycenter, EndsWhereTheGradientVanishes) {
  Random random(kSeed);
  const Dataset cases = random_dataset(random, 5, 1, 15, 20);
  const Barycenter result = soft_dtw_barycenter(cases, {.max_iterations = 2000, .tolerance = 1e-12});
  EXPECT_TRUE(result.converged);
  std::vector<double> gradient(result.values.size(), 0.0);
  for (std::size_t item = 0; item < cases.cases(); ++item) {
    const SoftDtwGradient one = soft_dtw_gradient(result.series(), cases.series(item));
    for (std::size_t k = 0; k < gradient.size(); ++k) gradient[k] += one.by_first[k];
  }
  for (const double entry : gradient) EXPECT_NEAR(entry, 0, 1e-3);  // at the start some are about 10
}

TEST(SoftDtwBarycenter, WithoutIterationsIsItsStart) {
  Random random(kSeed);
  const Dataset cases = random_dataset(random, 4, 1, 10, 10);
  const std::vector<double> start = random_series(random, 1, 6);
  const Barycenter result = soft_dtw_barycenter(cases, {.max_iterations = 0, .initial = start});
  EXPECT_EQ(result.values, start);
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(soft_dtw_barycenter(cases, {.length = 7}).series().length, 7u);
}

TEST(SoftDtwBarycenter, HasTheSameBitsForAnyNumberOfThreadsAndInstructionSet) {
  Random random(kSeed);
  const Dataset cases = random_dataset(random, 19, 1, 50, 60);
  const auto run = [&](std::size_t threads) {
    return soft_dtw_barycenter(cases, {.max_iterations = 5}, threads).values;
  };
  const std::vector<double> one = run(1);
  EXPECT_EQ(one, run(2));
  EXPECT_EQ(one, run(5));
  for (const std::vector<double>& other : on_every_instruction_set([&] { return run(2); })) EXPECT_EQ(one, other);
}

TEST(SoftDtwBarycenter, RefusesNothingMissingValuesAndBadGamma) {
  EXPECT_THROW((void)soft_dtw_barycenter(Dataset(1)), std::invalid_argument);
  Dataset gap(1);
  gap.add_case(std::vector<double>{1, std::numeric_limits<double>::quiet_NaN()});
  EXPECT_THROW((void)soft_dtw_barycenter(gap), std::invalid_argument);
  Dataset cases(1);
  cases.add_case(std::vector<double>{1, 2, 3, 4});
  EXPECT_THROW((void)soft_dtw_barycenter(cases, {.gamma = 0}), std::invalid_argument);
  EXPECT_THROW((void)soft_dtw_barycenter(cases, {.tolerance = -1}), std::invalid_argument);
  EXPECT_THROW((void)soft_dtw_barycenter(cases, {.initial = {1, std::nan("")}}), std::invalid_argument);
}

TEST(SoftDtwBarycenter, TellsTheCostAfterEveryIteration) {
  Random random(kSeed);
  const Dataset cases = random_dataset(random, 5, 1, 20, 30);
  std::vector<double> told = {0.0};  // the start is no iteration
  const Barycenter result = soft_dtw_barycenter(cases, {.progress = [&](const BarycenterStep& step) {
                                                  EXPECT_EQ(step.iterations, told.size());
                                                  told.push_back(step.cost);
                                                }});
  told.front() = result.history.front();
  EXPECT_EQ(told, result.history);
}

TEST(SoftDtwBarycenter, StopsWhereWhatIsCalledBetweenStepsThrows) {
  Random random(kSeed);
  const Dataset cases = random_dataset(random, 5, 1, 20, 30);
  std::size_t calls = 0;
  const SoftDtwBarycenterOptions options = {.between = [&] {
    if (++calls == 2) throw std::domain_error("enough");
  }};
  EXPECT_THROW((void)soft_dtw_barycenter(cases, options), std::domain_error);
  EXPECT_EQ(calls, 2U);
}

}  // namespace soft_dtw_barycenter_test
}  // namespace diffeo
