#include "diffeo/alignment_measures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "diffeo/generate.hpp"
#include "diffeo/prepare.hpp"
#include "support/fake_networks.hpp"
#include "support/true_warps.hpp"

namespace diffeo {
namespace alignment_measures_test {

using testing::equally_spaced;
using testing::Unmoved;

/// Of sums and differences of numbers of size 1.
constexpr double kRounding = 1e-13;
/// Of series of at least 200 samples, read between samples.
constexpr double kInterpolation = 0.02;
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

/// (e^{bx} - 1) / (e^b - 1), or its inverse.
double bent(double time, double bend, bool inverse) {
  if (bend == 0.0) return time;
  return inverse ? std::log1p(time * std::expm1(bend)) / bend : std::expm1(bend * time) / std::expm1(bend);
}

Dataset read_along(const Dataset& series, const Matrix& times) {
  Dataset result(series.channels(), std::vector<double>(series.cases() * series.channels() * times.columns()),
                 std::vector<std::size_t>(series.cases(), times.columns()));
  for (std::size_t item = 0; item < series.cases(); ++item) {
    const SeriesView<const double> source = series.series(item);
    const SeriesView<double> target = result.series(item);
    sample<double>({{source.data, 1, source.channels, source.length}, Rows<const double>(times.row(item))},
                   {target.data, 1, target.channels, target.length}, 1);
  }
  if (series.labeled()) result.set_labels({series.labels().begin(), series.labels().end()}, series.class_names());
  return result;
}

Matrix on_grid(std::size_t cases, std::size_t length) {
  Matrix times(cases, length);
  for (std::size_t item = 0; item < cases; ++item) {
    std::ranges::copy(equally_spaced(length), times.values().begin() + static_cast<std::ptrdiff_t>(item * length));
  }
  return times;
}

/// Reads the series of row i along a warp of that bend.
class Bending final : public Unmoved {
 public:
  Bending(std::vector<double> bends, std::size_t length) : bends_(std::move(bends)), length_(length) {}
  [[nodiscard]] Dataset transform(const Dataset& series) const override {
    return read_along(series, warp_times(series, on_grid(series.cases(), length_), false));
  }
  [[nodiscard]] Matrix warp_times(const Dataset&, const Matrix& times, bool inverse) const override {
    Matrix result(times.rows(), times.columns());
    for (std::size_t item = 0; item < times.rows(); ++item) {
      for (std::size_t i = 0; i < times.columns(); ++i) result(item, i) = bent(times(item, i), bends_[item], inverse);
    }
    return result;
  }
  [[nodiscard]] Dataset inverse_transform(const Dataset& aligned, const Dataset& series) const override {
    Dataset result(series.channels());
    for (std::size_t item = 0; item < series.cases(); ++item) {
      Matrix times = on_grid(1, series.length(item));
      for (double& time : times.values()) time = bent(time, bends_[item], true);
      const std::vector<std::size_t> one = {item};
      result.add_case(read_along(aligned.subset(one), times).values());
    }
    return result;
  }

 private:
  std::vector<double> bends_;
  std::size_t length_;
};

struct Copy {
  double bend = 0.0;
  std::size_t length = 200;
  std::string label = "a";
};

/// Two channels of a smooth series in a time of their own: aligned where they are read along the bend.
Dataset copies(const std::vector<Copy>& wanted) {
  Dataset set(2);
  for (const Copy& each : wanted) {
    std::vector<double> values;
    for (const double phase : {0.0, 1.0}) {
      for (const double time : equally_spaced(each.length)) {
        const double common = bent(time, each.bend, true);
        values.push_back((each.label == "a" ? 1.0 : 3.0) * std::sin(4.0 * std::numbers::pi * common + phase));
      }
    }
    set.add_case(values, each.label);
  }
  return set;
}

double largest_distance(const std::vector<double>& bends, std::size_t points) {
  double largest = 0.0;
  for (const double time : equally_spaced(points)) {
    double sum = 0.0;
    for (const double bend : bends) sum += bent(time, bend, false) - time;
    largest = std::max(largest, std::fabs(sum) / static_cast<double>(bends.size()));
  }
  return largest;
}

double share(const MeasureChange& measure) { return measure.after / measure.before; }

TEST(AlignmentMeasures, WithoutAWarpNothingChanges) {
  const Dataset test = generate_cbf(9, 1, 64);
  const AlignmentMeasures found = alignment_measures(Unmoved(), test, generate_cbf(12, 2, 64));
  EXPECT_GT(found.slope_variance.before, 0.0);
  EXPECT_NEAR(share(found.slope_variance), 1.0, 1e-9);  // slopes of warps have 9 digits
  EXPECT_DOUBLE_EQ(share(found.inverse_consistent_error), 1.0);
  EXPECT_NEAR(found.least_slope, 1.0, kRounding);
  EXPECT_NEAR(found.largest_slope, 1.0, kRounding);
  EXPECT_EQ(found.displacement, 0.0);
  EXPECT_EQ(found.mean_warp_distance, 0.0);
  EXPECT_EQ(found.training_mean_warp_distance, 0.0);
}

TEST(AlignmentMeasures, TheErrorBeforeIsTheVarianceOverTheValuesOfEquallyLongSeries) {
  const Dataset test = generate_cbf(9, 1, 64);
  const AlignmentMeasures found = alignment_measures(Unmoved(), test, test);
  EXPECT_NEAR(found.inverse_consistent_error.before, weighted_within_variance(test) / 64.0, kRounding);
}

TEST(AlignmentMeasures, AWarpThatAllHaveIsTheDistanceOfTheMeanWarp) {
  constexpr std::size_t length = 101;
  const Dataset test = copies({{0.0}, {0.5}, {-0.5}});
  const AlignmentMeasures found = alignment_measures(Bending({1.0, 1.0, 1.0}, length), test, test);
  const double distance = largest_distance({1.0}, length);
  EXPECT_NEAR(distance, 0.123, 1e-3);  // ln(e - 1) + 1 / (e - 1) - 1, off the grid
  EXPECT_NEAR(found.mean_warp_distance, distance, kRounding);
  EXPECT_NEAR(found.training_mean_warp_distance, distance, kRounding);
  EXPECT_NEAR(found.displacement, distance, kRounding);
  EXPECT_NEAR(found.least_slope, 100.0 * bent(0.01, 1.0, false), 100.0 * kRounding);
  EXPECT_NEAR(found.largest_slope, 100.0 * (1.0 - bent(0.99, 1.0, false)), 100.0 * kRounding);
}

TEST(AlignmentMeasures, TrainingSeriesHaveAMeanWarpOfTheirOwn) {
  constexpr std::size_t length = 101;
  const AlignmentMeasures found =
      alignment_measures(Bending({1.0, -1.0}, length), copies({{0.0}}), copies({{0.0}, {0.5}}));
  EXPECT_NEAR(found.mean_warp_distance, largest_distance({1.0}, length), kRounding);
  EXPECT_NEAR(found.training_mean_warp_distance, largest_distance({1.0, -1.0}, length), kRounding);
}

TEST(AlignmentMeasures, SlopesThatAllBendAlikeDifferAsBefore) {
  const Dataset test = copies({{0.0}, {0.3}, {-0.3}});
  const AlignmentMeasures found = alignment_measures(Bending({1.0, 1.0, 1.0}, 400), test, test);
  EXPECT_NEAR(share(found.slope_variance), 1.0, kInterpolation);
}

TEST(AlignmentMeasures, APerfectAlignerOfDifferentLengthsLeavesNextToNothing) {
  const Dataset test = copies({{0.0, 200}, {0.6, 240}, {-0.6, 300}, {0.4, 220, "b"}, {-0.3, 260, "b"}});
  const Bending aligner({0.0, 0.6, -0.6, 0.4, -0.3}, 250);
  const AlignmentMeasures found = alignment_measures(aligner, test, test);
  EXPECT_LT(share(found.slope_variance), kInterpolation);
  EXPECT_LT(share(found.inverse_consistent_error), kInterpolation);
  EXPECT_LT(weighted_within_variance(aligner.transform(test)),
            kInterpolation * weighted_within_variance(resample(test, 250)));
}

TEST(AlignmentMeasures, TheWrongWayRoundEverythingIsWorse) {
  const Dataset test = copies({{0.0}, {0.6}, {-0.6}});
  const AlignmentMeasures found = alignment_measures(Bending({0.0, -0.6, 0.6}, 200), test, test);
  EXPECT_GT(share(found.slope_variance), 1.0);
  EXPECT_GT(share(found.inverse_consistent_error), 1.0);
}

TEST(AlignmentMeasures, GapsAreLeftOut) {
  Dataset test = copies({{0.0}, {0.6, 240}, {-0.6}});
  for (std::size_t i = 60; i < 90; ++i) test.series(0).channel(0)[i] = kNothing;
  for (std::size_t i = 0; i < 40; ++i) test.series(2).channel(1)[i] = kNothing;
  const AlignmentMeasures unmoved = alignment_measures(Bending({0.0, 0.0, 0.0}, 240), test, test);
  EXPECT_NEAR(share(unmoved.slope_variance), 1.0, 1e-9);
  EXPECT_DOUBLE_EQ(share(unmoved.inverse_consistent_error), 1.0);
  const AlignmentMeasures found = alignment_measures(Bending({0.0, 0.6, -0.6}, 240), test, test);
  EXPECT_LT(share(found.slope_variance), kInterpolation);
  EXPECT_LT(share(found.inverse_consistent_error), kInterpolation);
}

TEST(AlignmentMeasures, AChannelWithoutValuesIsAsIfItWereNotThere) {
  Dataset test = copies({{0.0}, {0.6}, {-0.6}});
  Dataset one_channel;
  for (std::size_t item = 0; item < test.cases(); ++item) {
    std::ranges::fill(test.series(item).channel(1), kNothing);
    one_channel.add_case(test.series(item).channel(0), test.label(item));
  }
  const Bending aligner({0.0, 0.5, -0.5}, 200);
  const AlignmentMeasures found = alignment_measures(aligner, test, one_channel);
  const AlignmentMeasures expected = alignment_measures(aligner, one_channel, one_channel);
  EXPECT_NEAR(share(found.slope_variance), share(expected.slope_variance), kRounding);
  EXPECT_NEAR(share(found.inverse_consistent_error), share(expected.inverse_consistent_error), kRounding);
}

TEST(AlignmentMeasures, ASeriesOfOneSampleHasAWarp) {
  Dataset one;
  one.add_case(std::vector<double>{2.0}, "a");
  const AlignmentMeasures found = alignment_measures(Unmoved(), one, one);
  EXPECT_EQ(found, AlignmentMeasures{});
}

}  // namespace alignment_measures_test
}  // namespace diffeo
