#include "feature_set.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "diffeo/generate.hpp"
#include "thread_group.hpp"

namespace diffeo {
namespace feature_set_test {

constexpr Features kBoth{.values = true, .slopes = true};
constexpr Features kSlopes{.values = false, .slopes = true};
/// Sums over processes are added in another order.
constexpr double kRounding = 1e-12;

Dataset two_channels() {
  Dataset set(2);
  for (const double height : {1.0, 2.0, 3.0}) {
    std::vector<double> values;
    for (const double factor : {height, -100.0 * height}) {
      for (int i = 0; i < 40; ++i) values.push_back(factor * std::sin(0.2 * i + height));
    }
    set.add_case(values, height < 3.0 ? "a" : "b");
  }
  return set;
}

TEST(FeatureMaker, PutsSlopesBehindTheValuesAsTheyCame) {
  const Dataset set = two_channels();
  const Dataset both = FeatureMaker(set, Group())(set, kBoth);
  ASSERT_EQ(both.channels(), 4U);
  EXPECT_EQ(both.class_names(), set.class_names());
  for (std::size_t item = 0; item < set.cases(); ++item) {
    EXPECT_EQ(both.length(item), set.length(item));
    EXPECT_TRUE(std::ranges::equal(both.series(item).values().first(80), set.series(item).values()));
  }
}

TEST(FeatureMaker, GivesTheSetItselfWhereOnlyValuesAreSeen) {
  const Dataset set = two_channels();
  EXPECT_TRUE(std::ranges::equal(FeatureMaker(set, Group())(set, Features{}).values(), set.values()));
}

TEST(FeatureMaker, HasSlopesOfTheSignOfTheSeriesInWhichNoChannelOutweighsTheOther) {
  const Dataset set = two_channels();
  const Dataset slopes = FeatureMaker(set, Group())(set, kSlopes);
  ASSERT_EQ(slopes.channels(), 2U);
  for (std::size_t i = 1; i + 1 < 40; ++i) {
    const std::span<const double> values = set.series(0).channel(0);
    const double difference = values[i + 1] - values[i - 1];
    if (std::abs(difference) < 0.05) continue;  // about to turn
    EXPECT_EQ(std::signbit(slopes.series(0).channel(0)[i]), std::signbit(difference)) << i;
    // The second channel is the first one, a hundred times as high and upside down.
    EXPECT_NEAR(slopes.series(0).channel(1)[i], -slopes.series(0).channel(0)[i], 1e-9) << i;
  }
}

TEST(FeatureMaker, HasNoSlopesInAGapAndKeepsTheOthersFinite) {
  Dataset set = two_channels();
  for (std::size_t i = 14; i < 26; ++i) set.series(1).channel(0)[i] = std::numeric_limits<double>::quiet_NaN();
  const Dataset slopes = FeatureMaker(set, Group())(set, kSlopes);
  EXPECT_TRUE(std::isnan(slopes.series(1).channel(0)[20]));
  EXPECT_TRUE(std::isfinite(slopes.series(1).channel(0)[5]));
  EXPECT_TRUE(std::isfinite(slopes.series(1).channel(1)[20]));
  EXPECT_TRUE(std::isfinite(slopes.series(0).channel(0)[20]));
}

TEST(FeatureMaker, MakesTheSameInSeveralProcesses) {
  const Dataset set = two_channels();
  const Dataset alone = FeatureMaker(set, Group())(set, kSlopes);
  testing::in_threads(3, [&](const Group& group) {
    const Dataset own = set.subset(std::vector<std::size_t>{group.rank()});
    const Dataset part = FeatureMaker(own, group)(own, kSlopes);
    for (std::size_t i = 0; i < part.values().size(); ++i) {
      EXPECT_NEAR(part.values()[i], alone.series(group.rank()).values()[i], kRounding);
    }
  });
}

}  // namespace feature_set_test
}  // namespace diffeo
