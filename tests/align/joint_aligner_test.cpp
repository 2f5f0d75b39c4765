#include "diffeo/joint_aligner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "diffeo/alignment_quality.hpp"
#include "diffeo/generate.hpp"

namespace diffeo {
namespace joint_aligner_test {

TEST(JointAligner, AlignsNewSeriesToTheMeanTheyFitBest) {
  const Bumps bumps = generate_bumps(60, 21);
  std::vector<std::size_t> known(30);
  std::vector<std::size_t> fresh(30);
  for (std::size_t i = 0; i < 30; ++i) {
    known[i] = i;
    fresh[i] = 30 + i;
  }
  JointAligner aligner;
  aligner.fit(bumps.dataset.subset(known));
  const Dataset raw = bumps.dataset.subset(fresh);
  const Dataset aligned = aligner.transform(raw);
  EXPECT_EQ(aligned.label(0), raw.label(0));
  for (const std::vector<std::size_t>& items : raw.cases_by_class()) {
    EXPECT_LT(within_variance(aligned.subset(items)), 0.3 * within_variance(raw.subset(items)));
  }
}

TEST(JointAligner, TreatsEverySeriesByItselfAndIgnoresLabels) {
  const Bumps bumps = generate_bumps(12, 22);
  JointAligner aligner;
  aligner.fit(bumps.dataset);
  const Dataset all = aligner.transform(bumps.dataset);
  Dataset one(1);
  one.add_case(bumps.dataset.series(5).values());
  EXPECT_TRUE(std::ranges::equal(aligner.transform(one).values(), all.series(5).values()));
}

TEST(JointAligner, GivesAllSeriesTheLengthOfTheMeans) {
  const Bumps bumps = generate_bumps(6, 23);
  AlignOptions options;
  options.length = 50;
  JointAligner aligner(options);
  aligner.fit(bumps.dataset);
  EXPECT_EQ(aligner.transform(bumps.dataset).block().time, 50u);
}

TEST(JointAligner, AlignsNewSeriesToTheTemplateInsteadOfTheMean) {
  BumpsOptions options;
  options.classes = 1;
  const Bumps bumps = generate_bumps(9, 21, options);
  const Dataset given = bumps.dataset.subset(std::vector<std::size_t>{8});
  const Dataset training = bumps.dataset.subset(std::vector<std::size_t>{0, 1, 2, 3, 4, 5});
  JointAligner aligner({}, given);
  aligner.fit(training);
  const Dataset same = aligner.transform(given);
  for (std::size_t j = 0; j < same.values().size(); ++j) EXPECT_NEAR(same.values()[j], given.values()[j], 1e-6);
  const JointAligner again({}, aligner.alignment().mean, std::vector{aligner.alignment().classes.front().model}, given);
  EXPECT_TRUE(std::ranges::equal(again.velocities(training).values(), aligner.velocities(training).values()));
}

TEST(JointAligner, IsTheSameAfterBytes) {
  const Bumps bumps = generate_bumps(9, 3);
  AlignOptions options;
  options.cells = 4;
  options.smoothing = 0.02;
  JointAligner aligner(options);
  EXPECT_THROW((void)aligner.bytes(), std::invalid_argument);
  aligner.fit(bumps.dataset);
  const std::vector<std::byte> bytes = aligner.bytes();
  const JointAligner again = JointAligner::from_bytes(bytes);
  EXPECT_EQ(again.options().smoothing, 0.02);
  EXPECT_EQ(again.options().cells, 4u);
  EXPECT_EQ(again.bytes(), bytes);
  EXPECT_TRUE(std::ranges::equal(again.transform(bumps.dataset).values(), aligner.transform(bumps.dataset).values()));
}

TEST(JointAligner, CarriesTimesAndSeriesBack) {
  const Bumps bumps = generate_bumps(4, 3);
  JointAligner aligner;
  aligner.fit(bumps.dataset);
  Matrix times(4, 3);
  for (std::size_t item = 0; item < 4; ++item) {
    for (std::size_t j = 0; j < 3; ++j) times(item, j) = 0.2 + 0.3 * static_cast<double>(j);
  }
  const Matrix there = aligner.warp_times(bumps.dataset, times);
  const Matrix back = aligner.warp_times(bumps.dataset, there, true);
  for (std::size_t k = 0; k < times.values().size(); ++k) EXPECT_NEAR(back.values()[k], times.values()[k], 1e-12);
  const Dataset aligned = aligner.transform(bumps.dataset);
  const Dataset returned = aligner.inverse_transform(aligned, bumps.dataset);
  EXPECT_EQ(returned.length(0), bumps.dataset.length(0));
  double largest = 0.0;
  for (std::size_t k = 0; k < returned.values().size(); ++k) {
    largest = std::max(largest, std::fabs(returned.values()[k] - bumps.dataset.values()[k]));
  }
  EXPECT_LT(largest, 0.5);  // interpolated twice, with noise
}

TEST(JointAligner, RefusesToTransformBeforeFitAndOtherChannels) {
  const Bumps bumps = generate_bumps(6, 24);
  JointAligner aligner;
  EXPECT_THROW((void)aligner.transform(bumps.dataset), std::invalid_argument);
  aligner.fit(bumps.dataset);
  BumpsOptions two;
  two.channels = 2;
  EXPECT_THROW((void)aligner.transform(generate_bumps(6, 24, two).dataset), std::invalid_argument);
  AlignOptions bad;
  bad.own_time = -1.0;
  EXPECT_THROW(JointAligner{bad}, std::invalid_argument);
}

TEST(JointAligner, CallsBetweenTheMoreOftenTheMoreThereIsToDoForASeries) {
  BumpsOptions large;
  large.classes = 8;
  large.length = 1000;
  AlignOptions options;
  options.cells = 4;
  options.max_iterations = 1;
  options.threads = 1;
  JointAligner aligner(options);
  const Dataset series = generate_bumps(16, 25, large).dataset;
  aligner.fit(series);
  std::size_t calls = 0;
  const Matrix velocities = aligner.velocities(series, 1, [&] { ++calls; });
  EXPECT_GE(calls, 3u);  // 8000 values a series take some 60 ms at full strength: several, not all, between two calls
  EXPECT_LT(calls, 16u);
  EXPECT_TRUE(std::ranges::equal(velocities.values(), aligner.velocities(series).values()));
  calls = 0;
  const auto stop = [&] {
    ++calls;
    throw std::runtime_error("enough");
  };
  EXPECT_THROW((void)aligner.velocities(series, 2, stop), std::runtime_error);
  EXPECT_EQ(calls, 1u);
}

TEST(JointAligner, NamesTheSeriesThatCannotBeAlignedBeforeAnyWork) {
  JointAligner aligner;
  aligner.fit(generate_bumps(6, 26).dataset);
  Dataset series = generate_bumps(99, 26).dataset;
  series.add_case(std::vector<double>(128, std::nan("")), "1");
  std::size_t calls = 0;
  try {
    (void)aligner.velocities(series, 1, [&] { ++calls; });
    FAIL() << "expected an error";
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()).rfind("case 99: expected at least one value", 0), 0u) << error.what();
  }
  EXPECT_EQ(calls, 0u);
}

}  // namespace joint_aligner_test
}  // namespace diffeo
