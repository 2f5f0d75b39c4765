#include "teacher.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "diffeo/generate.hpp"
#include "diffeo/torch/temporal_aligner.hpp"
#include "diffeo/warp.hpp"
#include "feature_set.hpp"
#include "thread_group.hpp"

namespace diffeo {
namespace teacher_test {

const Teacher::Settings kSettings{.zero_boundary = true, .seed = 3, .threads = 1, .stop = {}};
/// Of a lesson brought into common time: it was interpolated once more than the aligned series.
constexpr double kInterpolated = 0.03;

Dataset bumps(std::size_t cases, std::size_t classes = 2) {
  BumpsOptions options;
  options.length = 160;
  options.classes = classes;
  options.noise = 0.0;
  return generate_bumps(cases, 4, options).dataset;
}

std::vector<std::int64_t> labels_of(const Dataset& set) { return {set.labels().begin(), set.labels().end()}; }

std::vector<std::size_t> all_of(const Dataset& set) {
  std::vector<std::size_t> items(set.cases());
  std::iota(items.begin(), items.end(), std::size_t{0});
  return items;
}

double root_mean_square(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

struct Lesson {
  std::vector<double> series;
  std::vector<double> velocities;
};

std::vector<Lesson> lessons_of(const Teacher& teacher, const Dataset& features, std::size_t first_slope,
                               const SharedSet& set, std::uint64_t seed) {
  Random random(seed);
  const std::vector<std::size_t> items = all_of(set.own());
  const Lessons made = teacher.lessons(features, first_slope, items, set.share_of(items), random);
  std::vector<Lesson> result;
  for (std::size_t item = 0; item < made.series.cases(); ++item) {
    const auto values = made.series.series(item).values();
    const auto velocities = made.velocities.row(item);
    result.push_back({{values.begin(), values.end()}, {velocities.begin(), velocities.end()}});
  }
  return result;
}

TEST(Teacher, MakesLessonsWhoseKnownWarpsBringTheirClassTogether) {
  const Dataset set = bumps(12);
  const SharedSet shared(set, Group());
  const Normalization normalization = normalization_of(set, Group());
  const Teacher teacher(shared, normalization, labels_of(set), kSettings);
  std::map<std::size_t, std::vector<double>> first;  // aligned, of every class
  std::size_t item = 0;
  for (const Lesson& lesson : lessons_of(teacher, set, 1, shared, 1)) {
    const std::vector<double> aligned = warp(lesson.series, lesson.velocities);
    const auto [place, is_first] = first.try_emplace(set.labels()[item], aligned);
    std::vector<double> difference;
    for (std::size_t i = 0; i < aligned.size(); ++i) difference.push_back(aligned[i] - place->second[i]);
    EXPECT_LT(root_mean_square(difference), kInterpolated * root_mean_square(aligned)) << item;
    ++item;
  }
}

TEST(Teacher, GivesASeriesAnotherWarpEveryTime) {
  const Dataset set = bumps(12);
  const SharedSet shared(set, Group());
  const Teacher teacher(shared, normalization_of(set, Group()), labels_of(set), kSettings);
  const std::vector<Lesson> one = lessons_of(teacher, set, 1, shared, 1);
  const std::vector<Lesson> other = lessons_of(teacher, set, 1, shared, 2);
  std::size_t same = 0;
  for (std::size_t item = 0; item < set.cases(); ++item) same += one[item].velocities == other[item].velocities ? 1 : 0;
  EXPECT_LT(same, set.cases() / 2);
  EXPECT_EQ(lessons_of(teacher, set, 1, shared, 1)[3].series, one[3].series) << "the same seed";
}

TEST(Teacher, WarpsSlopesSoThatTheyAreThoseOfTheWarpedSeries) {
  const Dataset set = bumps(8, 1);
  const SharedSet shared(set, Group());
  const FeatureMaker maker(set, Group());
  const Teacher teacher(shared, maker.values(), labels_of(set), kSettings);
  const Features both{.values = true, .slopes = true};
  const Dataset features = maker(set, both);
  for (const Lesson& lesson : lessons_of(teacher, features, 1, shared, 1)) {
    Dataset warped(1);
    warped.add_case(std::span(lesson.series).first(160));
    const Dataset expected = maker(warped, Features{.values = false, .slopes = true});
    std::vector<double> difference;
    for (std::size_t i = 0; i < 160; ++i) difference.push_back(lesson.series[160 + i] - expected.values()[i]);
    // Smoothing before and after a warp is not quite the same.
    EXPECT_LT(root_mean_square(difference), 0.15 * root_mean_square(expected.values()));
  }
}

TEST(Teacher, OfAClassOfOneTeachesThatNothingMoves) {
  Dataset set = bumps(6, 1);
  set.add_case(bumps(1, 1).series(0).values(), "alone");
  const SharedSet shared(set, Group());
  const Teacher teacher(shared, normalization_of(set, Group()), labels_of(set), kSettings);
  const std::vector<double> velocities = lessons_of(teacher, set, 1, shared, 1).back().velocities;
  EXPECT_EQ(velocities, std::vector<double>(velocities.size(), 0.0));
}

TEST(Teacher, TeachesThatNothingMovesIfNoWarpCanBeTrusted) {
  Random random(5);
  Dataset noise(1);
  for (std::size_t item = 0; item < 20; ++item) {
    std::vector<double> values(100);
    for (double& value : values) value = random.normal();
    noise.add_case(values);
  }
  const SharedSet shared(noise, Group());
  const std::vector<std::int64_t> labels(noise.cases(), 0);
  const Teacher teacher(shared, normalization_of(noise, Group()), labels, kSettings);
  for (const Lesson& lesson : lessons_of(teacher, noise, 1, shared, 1)) {
    EXPECT_EQ(lesson.velocities, std::vector<double>(lesson.velocities.size(), 0.0));
  }
}

TEST(Teacher, TakesSoManySeriesOfALargeClassAndAllOfASmallOne) {
  BumpsOptions options;
  options.length = 16;
  options.classes = 1;
  Dataset set = generate_bumps(kMostTaught + 20, 1, options).dataset;
  const Dataset rare = generate_bumps(3, 2, options).dataset;
  for (std::size_t item = 0; item < 3; ++item) set.add_case(rare.series(item).values(), "rare");
  const SharedSet shared(set, Group());
  const Teacher teacher(shared, normalization_of(set, Group()), labels_of(set), kSettings);
  std::size_t large = 0;
  std::size_t small = 0;
  for (std::size_t item = 0; item < set.cases(); ++item) {
    (item < kMostTaught + 20 ? large : small) += teacher.teaches(item) ? 1 : 0;
  }
  EXPECT_EQ(large, kMostTaught);
  EXPECT_EQ(small, 3U);
}

TEST(Teacher, TeachesTheSameInSeveralProcesses) {
  const Dataset set = bumps(9);
  const SharedSet shared(set, Group());
  const Normalization normalization = normalization_of(set, Group());
  const std::vector<Lesson> alone =
      lessons_of(Teacher(shared, normalization, labels_of(set), kSettings), set, 1, shared, 1);
  testing::in_threads(2, [&](const Group& group) {
    std::vector<std::size_t> items;
    for (std::size_t item = group.rank(); item < set.cases(); item += group.size()) items.push_back(item);
    const Dataset own = set.subset(items);
    const SharedSet part(own, group);
    const Teacher teacher(part, normalization, labels_of(set), kSettings);
    Random random(1);
    const std::vector<std::size_t> batch = all_of(set);
    const Lessons made = teacher.lessons(own, 1, batch, part.share_of(batch), random);
    for (std::size_t i = 0; i < items.size(); ++i) {
      EXPECT_TRUE(std::ranges::equal(made.series.series(i).values(), alone[items[i]].series)) << items[i];
      EXPECT_TRUE(std::ranges::equal(made.velocities.row(i), alone[items[i]].velocities)) << items[i];
    }
  });
}

TEST(Teacher, GivesUpTheAlignmentWhenAskedTo) {
  const Dataset set = bumps(12);
  const SharedSet shared(set, Group());
  Teacher::Settings settings = kSettings;
  settings.stop = [] { return true; };
  EXPECT_THROW(Teacher(shared, normalization_of(set, Group()), labels_of(set), settings), Interrupted);
}

}  // namespace teacher_test
}  // namespace diffeo
