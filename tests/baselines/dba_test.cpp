#include "diffeo/dba.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "baselines/random_series.hpp"
#include "diffeo/dtw.hpp"
#include "diffeo/euclidean_mean.hpp"

namespace diffeo {
namespace dba_test {

using testing::on_every_instruction_set;
using testing::random_dataset;
using testing::random_series;
using testing::view;

constexpr std::uint64_t kSeed = 20240903;
// Sums of some hundred terms in another order.
constexpr double kTolerance = 1000 * std::numeric_limits<double>::epsilon();

double mean_squared_dtw(SeriesView<const double> center, const Dataset& cases, const WarpingWindow& window = {}) {
  double sum = 0;
  for (std::size_t item = 0; item < cases.cases(); ++item) sum += std::pow(dtw(center, cases.series(item), window), 2);
  return sum / static_cast<double>(cases.cases());
}

/// One iteration as the definition has it: every sample the mean of the samples that paths match with it.
std::vector<double> updated(const std::vector<double>& center, const Dataset& cases, const WarpingWindow& window) {
  const std::size_t channels = cases.channels(), length = center.size() / channels;
  std::vector<double> sums(center.size(), 0.0), counts(length, 0.0);
  for (std::size_t item = 0; item < cases.cases(); ++item) {
    const SeriesView<const double> series = cases.series(item);
    for (const PathStep& step : dtw_path(view(center, channels), series, window).steps) {
      counts[step.first] += 1;
      for (std::size_t c = 0; c < channels; ++c) sums[c * length + step.first] += series.channel(c)[step.second];
    }
  }
  for (std::size_t k = 0; k < sums.size(); ++k) sums[k] /= counts[k % length];
  return sums;
}

TEST(Dba, TakesMeansAlongThePaths) {
  Random random(kSeed);
  for (const WarpingWindow& window : {WarpingWindow{}, WarpingWindow{.radius = 3}}) {
    const Dataset cases = random_dataset(random, 11, 2, 20, 30);
    const std::vector<double> start = random_series(random, 2, 25);
    const Barycenter result = dba(cases, {.max_iterations = 3, .tolerance = 0, .window = window, .initial = start});
    std::vector<double> expected = start;
    for (int k = 0; k < 3; ++k) expected = updated(expected, cases, window);
    ASSERT_EQ(result.iterations, 3u);
    ASSERT_EQ(result.values.size(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(result.values[k], expected[k], kTolerance * 10);
    EXPECT_NEAR(result.cost(), mean_squared_dtw(result.series(), cases, window), kTolerance * result.cost());
  }
}

TEST(Dba, NeverRaisesTheCost) {
  Random random(kSeed);
  const Dataset cases = random_dataset(random, 9, 1, 40, 60);
  for (const DbaStart start : {DbaStart::kMean, DbaStart::kMedoid, DbaStart::kRandomCase}) {
    const Barycenter result = dba(cases, {.start = start});
    ASSERT_EQ(result.history.size(), result.iterations + 1);
    EXPECT_TRUE(result.converged);
    for (std::size_t k = 1; k < result.history.size(); ++k) {
      EXPECT_LE(result.history[k], result.history[k - 1] * (1 + kTolerance));
    }
    EXPECT_LT(result.cost(), result.history.front());
  }
}

TEST(Dba, OfSeriesThatDtwCannotTellApartIsOneOfThem) {
  Dataset cases(1);
  cases.add_case(std::vector<double>{0, 0, 1, 5, 2, 2});
  cases.add_case(std::vector<double>{0, 1, 1, 5, 5, 2});
  const Barycenter result = dba(cases, {.start = DbaStart::kMedoid});
  EXPECT_EQ(result.values, (std::vector<double>{0, 0, 1, 5, 2, 2}));
  EXPECT_EQ(result.cost(), 0);
  EXPECT_TRUE(result.converged);
}

TEST(Dba, StartsFromTheMedoid) {
  Dataset cases(1);
  cases.add_case(std::vector<double>{9, 9, 9});
  cases.add_case(std::vector<double>{0, 1, 0});
  cases.add_case(std::vector<double>{0, 2, 0});
  EXPECT_EQ(dba(cases, {.max_iterations = 0, .start = DbaStart::kMedoid}).values, (std::vector<double>{0, 2, 0}));
}

TEST(Dba, StartsFromTheCaseThatTheSeedDraws) {
  Random random(kSeed);
  const Dataset cases = random_dataset(random, 10, 1, 12, 12);
  bool differ = false;
  std::vector<double> first;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const DbaOptions options{.max_iterations = 0, .start = DbaStart::kRandomCase, .seed = seed};
    const std::vector<double> drawn = dba(cases, options).values;
    EXPECT_EQ(drawn, dba(cases, options).values);
    if (seed == 0) first = drawn;
    differ = differ || drawn != first;
    bool is_case = false;
    for (std::size_t item = 0; item < cases.cases(); ++item) {
      const auto values = cases.series(item).values();
      is_case = is_case || std::equal(drawn.begin(), drawn.end(), values.begin(), values.end());
    }
    EXPECT_TRUE(is_case);
  }
  EXPECT_TRUE(differ);
}

TEST(Dba, HasTheLengthAskedForOrThatOfTheStartOrOfTheLongestCase) {
  Random random(kSeed);
  const Dataset cases = random_dataset(random, 5, 1, 10, 20);
  EXPECT_EQ(dba(cases).series().length, cases.longest());
  EXPECT_EQ(dba(cases, {.length = 7}).series().length, 7u);
  EXPECT_EQ(dba(cases, {.length = 7, .start = DbaStart::kMedoid}).series().length, 7u);
  EXPECT_EQ(dba(cases, {.initial = {1, 2, 3}}).series().length, 3u);
}

TEST(Dba, ReportsThatItDidNotConverge) {
  Random random(kSeed);
  const Dataset cases = random_dataset(random, 9, 1, 40, 60);
  const Barycenter result = dba(cases, {.max_iterations = 1});
  EXPECT_EQ(result.iterations, 1u);
  EXPECT_FALSE(result.converged);
}

TEST(Dba, HasTheSameBitsForAnyNumberOfThreadsAndInstructionSet) {
  Random random(kSeed);
  const Dataset cases = random_dataset(random, 37, 2, 80, 100);
  const std::vector<double> one = dba(cases, {.max_iterations = 4}, 1).values;
  EXPECT_EQ(one, dba(cases, {.max_iterations = 4}, 2).values);
  EXPECT_EQ(one, dba(cases, {.max_iterations = 4}, 5).values);
  for (const std::vector<double>& other :
       on_every_instruction_set([&] { return dba(cases, {.max_iterations = 4}, 2).values; })) {
    EXPECT_EQ(one, other);
  }
}

TEST(Dba, StopsWhereWhatIsCalledBetweenStepsThrows) {
  Random random(kSeed);
  const Dataset cases = random_dataset(random, 5, 1, 20, 30);
  std::size_t calls = 0;
  const DbaOptions options = {.tolerance = 0, .between = [&] {
                                if (++calls == 2) throw std::domain_error("enough");
                              }};
  EXPECT_THROW((void)dba(cases, options), std::domain_error);
  EXPECT_EQ(calls, 2U);
}

TEST(Dba, TellsTheCostAfterEveryIteration) {
  Random random(kSeed);
  const Dataset cases = random_dataset(random, 5, 1, 20, 30);
  std::vector<double> told = {0.0};  // the start is no iteration
  const Barycenter result = dba(cases, {.progress = [&](const BarycenterStep& step) {
                                  EXPECT_EQ(step.iterations, told.size());
                                  told.push_back(step.cost);
                                }});
  told.front() = result.history.front();
  EXPECT_EQ(told, result.history);
}

TEST(Dba, RefusesNothingMissingValuesAndStartsThatDoNotFit) {
  EXPECT_THROW((void)dba(Dataset(1)), std::invalid_argument);
  Dataset gap(1);
  gap.add_case(std::vector<double>{1, std::numeric_limits<double>::quiet_NaN()});
  EXPECT_THROW((void)dba(gap), std::invalid_argument);
  Dataset cases(2);
  cases.add_case(std::vector<double>{1, 2, 3, 4});
  EXPECT_THROW((void)dba(cases, {.initial = {1, 2, 3}}), std::invalid_argument);
  EXPECT_THROW((void)dba(cases, {.length = 3, .initial = {1, 2}}), std::invalid_argument);
  EXPECT_THROW((void)dba(cases, {.tolerance = std::nan("")}), std::invalid_argument);
  EXPECT_THROW((void)dba(cases, {.window = {.fraction = 2.0}}), std::invalid_argument);
}

}  // namespace dba_test
}  // namespace diffeo
