#include "statistics/neighbour_probabilities.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "diffeo/random.hpp"
#include "support/message_of.hpp"

namespace diffeo::statistics {
namespace neighbour_probabilities_test {

using diffeo::testing::message_of;
using Values = std::vector<double>;
constexpr double kRounding = 64 * std::numeric_limits<double>::epsilon();  // of sums of some dozen exponentials
constexpr double kEntropy = 1e-9;                                          // the search stops below

double entropy_of(const Values& probabilities) {
  double sum = 0;
  for (const double p : probabilities) sum -= p > 0 ? p * std::log(p) : 0.0;
  return sum;
}

TEST(Neighbours, AreAsManyAsThePerplexitySays) {
  Random random(5);
  Values distances(40);
  for (double& distance : distances) distance = random.uniform();
  for (const double perplexity : {1.5, 5.0, 20.0, 38.0}) {
    const Values probabilities = neighbours_of(distances, 7, perplexity);
    EXPECT_EQ(probabilities[7], 0.0);
    EXPECT_NEAR(std::accumulate(probabilities.begin(), probabilities.end(), 0.0), 1.0, kRounding);
    EXPECT_NEAR(entropy_of(probabilities), std::log(perplexity), kEntropy) << perplexity;
  }
}

TEST(Neighbours, AreLikelierTheNearer) {
  const Values probabilities = neighbours_of(Values{0, 1, 2, 3}, 0, 2);
  EXPECT_GT(probabilities[1], probabilities[2]);
  EXPECT_GT(probabilities[2], probabilities[3]);
  EXPECT_GT(probabilities[3], 0.0);
}

TEST(Neighbours, ShareEquallyWhereAllAreEquallyNear) {
  EXPECT_EQ(neighbours_of(Values{0, 4, 4, 4, 4}, 0, 2), (Values{0, 0.25, 0.25, 0.25, 0.25}));
}

// Three corners of a triangle with equal sides: 6 ordered pairs.
TEST(PairProbabilities, AreEqualForEqualDistances) {
  const Values triangle = {0, 0, 1, 0, 0.5, std::sqrt(0.75)};
  const Values pairs = pair_probabilities(triangle, 3, 2);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(pairs[i], i % 4 == 0 ? 0.0 : 1.0 / 6, 1e-6) << i;
}

TEST(PairProbabilities, AreSymmetricAndAddUpToOne) {
  Random random(6);
  Values rows(20 * 3);
  for (double& value : rows) value = random.normal();
  const Values pairs = pair_probabilities(rows, 20, 5);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(pairs[i * 20 + i], 0.0);
    for (std::size_t j = 0; j < 20; ++j) EXPECT_EQ(pairs[i * 20 + j], pairs[j * 20 + i]);
  }
  EXPECT_NEAR(std::accumulate(pairs.begin(), pairs.end(), 0.0), 1.0, kRounding);
}

TEST(PairProbabilities, RefusePointsTooFarApartToBeSquared) {
  EXPECT_EQ(message_of([] {
              (void)pair_probabilities(Values{0, 1e200}, 2, 1);
            }),
            "rows: expected points whose squared distances are finite, got inf");
}

}  // namespace neighbour_probabilities_test
}  // namespace diffeo::statistics
