#include "diffeo/statistics/sharpshooter.hpp"

#include <gtest/gtest.h>

#include "support/message_of.hpp"

namespace diffeo {
namespace sharpshooter_test {

using testing::message_of;
using Values = std::vector<double>;
using Names = std::vector<std::string>;
using Region = SharpshooterRegion;

std::size_t count_of(const Sharpshooter& shots, Region region) {
  return shots.counts[static_cast<std::size_t>(region)];
}

/// One data set on which the baseline has 0.5.
Region region_of_gains(double expected, double actual) {
  return sharpshooter(Names{"one"}, Values{0.5}, Values{0.5}, Values{0.5 * expected}, Values{0.5 * actual})
      .points.at(0)
      .region;
}

TEST(Sharpshooter, CountsTheFourRegions) {
  const Sharpshooter shots = sharpshooter(Names{"a", "b", "c", "d", "e"},    //
                                          Values{0.5, 0.5, 0.5, 0.5, 0.8},   // baseline, training
                                          Values{0.6, 0.6, 0.6, 0.6, 0.4},   // baseline, test
                                          Values{0.6, 0.6, 0.4, 0.4, 0.9},   // method, training
                                          Values{0.7, 0.5, 0.7, 0.5, 0.8});  // method, test
  EXPECT_EQ(count_of(shots, Region::true_positive), 2u);
  EXPECT_EQ(count_of(shots, Region::false_positive), 1u);
  EXPECT_EQ(count_of(shots, Region::false_negative), 1u);
  EXPECT_EQ(count_of(shots, Region::true_negative), 1u);
  ASSERT_EQ(shots.points.size(), 5u);
  EXPECT_EQ(shots.points[4].dataset, "e");
  EXPECT_DOUBLE_EQ(shots.points[4].expected_gain, 1.125);
  EXPECT_DOUBLE_EQ(shots.points[4].actual_gain, 2.0);
  EXPECT_EQ(shots.points[1].region, Region::false_positive);
  EXPECT_EQ(shots.points[2].region, Region::false_negative);
}

TEST(Sharpshooter, TakesExactlyOneForNoGain) {
  EXPECT_EQ(region_of_gains(1, 1), Region::true_negative);
  EXPECT_EQ(region_of_gains(1.5, 1), Region::false_positive);
  EXPECT_EQ(region_of_gains(1, 1.5), Region::false_negative);
}

TEST(Sharpshooter, LeavesOutWhatHasNoRatio) {
  const Sharpshooter shots = sharpshooter(Names{"a", "b", "c"}, Values{0.0, 0.5, 0.5}, Values{0.5, 0.0, 0.5},
                                          Values{0.5, 0.5, 0.6}, Values{0.5, 0.5, 0.6});
  ASSERT_EQ(shots.points.size(), 1u);
  EXPECT_EQ(shots.points[0].dataset, "c");
  EXPECT_EQ(shots.counts, (std::array<std::size_t, 4>{1, 0, 0, 0}));
}

TEST(Sharpshooter, OfNoDataSetsHasNoPoints) {
  EXPECT_TRUE(sharpshooter(Names{}, Values{}, Values{}, Values{}, Values{}).points.empty());
}

TEST(Sharpshooter, RefusesWhatIsNoAccuracy) {
  EXPECT_EQ(message_of([] { (void)sharpshooter(Names{"a"}, Values{1}, Values{1}, Values{}, Values{1}); }),
            "method_expected: expected 1 accuracies, one per data set, got 0");
  EXPECT_EQ(message_of([] { (void)sharpshooter(Names{"a"}, Values{1}, Values{-1}, Values{1}, Values{1}); }),
            "baseline_actual: expected accuracies, got -1");
}

}  // namespace sharpshooter_test
}  // namespace diffeo
