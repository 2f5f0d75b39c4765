#include "diffeo/random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <stdexcept>

namespace diffeo {
namespace random_test {

// A mean of n values of standard deviation s lies within 5 s / sqrt(n) of its expectation but for one seed in
// a million.
constexpr int kDraws = 1'000'000;
constexpr double kDeviations = 5.0;
double standard_error(double deviation) { return deviation / std::sqrt(static_cast<double>(kDraws)); }

// The reference program of the authors of xoshiro256**, its state set by SplitMix64 from the seed: these bits
// must never change, or seeds recorded with results lose their meaning.
TEST(Random, GivesTheBitsOfTheReferenceProgram) {
  Random random(0);
  EXPECT_EQ(random.bits(), 0x99ec5f36cb75f2b4u);
  EXPECT_EQ(random.bits(), 0xbf6e1f784956452au);
  EXPECT_EQ(random.bits(), 0x1a5f849d4933e6e0u);
}

TEST(Random, RepeatsItselfForTheSameSeedOnly) {
  Random one(42), same(42), other(43);
  int differences = 0;
  for (int i = 0; i < 100; ++i) {
    const double normal = one.normal();
    EXPECT_EQ(normal, same.normal());
    differences += normal != other.normal() ? 1 : 0;
  }
  EXPECT_EQ(differences, 100);
}

TEST(Random, IsUniformOnTheUnitInterval) {
  Random random(1);
  double sum = 0.0, squares = 0.0;
  for (int i = 0; i < kDraws; ++i) {
    const double value = random.uniform();
    ASSERT_GE(value, 0.0);
    ASSERT_LT(value, 1.0);
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / kDraws, 1.0 / 2.0, kDeviations * standard_error(std::sqrt(1.0 / 12.0)));
  EXPECT_NEAR(squares / kDraws, 1.0 / 3.0, kDeviations * standard_error(std::sqrt(4.0 / 45.0)));
}

TEST(Random, HasTheFirstFourMomentsOfTheNormalDistribution) {
  Random random(2);
  std::array<double, 5> moments = {};
  for (int i = 0; i < kDraws; ++i) {
    const double value = random.normal();
    for (std::size_t k = 1; k < moments.size(); ++k) moments[k] += std::pow(value, static_cast<double>(k)) / kDraws;
  }
  EXPECT_NEAR(moments[1], 0.0, kDeviations * standard_error(1.0));
  EXPECT_NEAR(moments[2], 1.0, kDeviations * standard_error(std::sqrt(2.0)));
  EXPECT_NEAR(moments[3], 0.0, kDeviations * standard_error(std::sqrt(15.0)));
  EXPECT_NEAR(moments[4], 3.0, kDeviations * standard_error(std::sqrt(96.0)));
}

TEST(Random, PutsTheRightShareOfNormalNumbersIntoTheTails) {
  Random random(3);
  int beyond_two = 0;
  for (int i = 0; i < kDraws; ++i) beyond_two += std::abs(random.normal()) > 2.0 ? 1 : 0;
  const double share = std::erfc(std::sqrt(2.0));
  EXPECT_NEAR(static_cast<double>(beyond_two) / kDraws, share,
              kDeviations * standard_error(std::sqrt(share * (1.0 - share))));
}

TEST(Random, ReachesEveryIntegerBelowTheBoundEquallyOften) {
  Random random(4);
  std::array<int, 7> counts = {};
  for (int i = 0; i < kDraws; ++i) ++counts.at(random.below(counts.size()));
  const double share = 1.0 / 7.0;
  for (const int count : counts) {
    EXPECT_NEAR(static_cast<double>(count) / kDraws, share,
                kDeviations * standard_error(std::sqrt(share * (1.0 - share))));
  }
  EXPECT_EQ(random.below(1), 0u);
}

TEST(Random, RefusesAnEmptyRangeOfIntegers) { EXPECT_THROW(Random(5).below(0), std::invalid_argument); }

}  // namespace random_test
}  // namespace diffeo
