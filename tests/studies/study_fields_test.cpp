#include "diffeo/studies/study_fields.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "diffeo/prior.hpp"
#include "support/message_of.hpp"

namespace diffeo {
namespace study_fields_test {

using testing::message_of;

StudySetting small_setting(FieldSource source = FieldSource::prior) {
  StudySetting setting;
  setting.source = source;
  setting.fields = source == FieldSource::ones ? 1 : 7;
  setting.points = 30;
  setting.seed = 3;
  return setting;
}

TEST(StudyFields, OfTheSameSettingAreTheSameBits) {
  for (const FieldSource source : {FieldSource::prior, FieldSource::normal, FieldSource::ones}) {
    const StudyFields first = study_fields(small_setting(source));
    const StudyFields second = study_fields(small_setting(source));
    EXPECT_EQ(first.velocities, second.velocities);
    EXPECT_EQ(first.points, second.points);
  }
}

TEST(StudyFields, OfAnotherSeedAreOthers) {
  StudySetting other = small_setting();
  other.seed = 4;
  EXPECT_NE(study_fields(small_setting()).velocities, study_fields(other).velocities);
  EXPECT_NE(study_fields(small_setting()).points, study_fields(other).points);
}

TEST(StudyFields, KeepTheEndsInPlaceAndTheirPointsInside) {
  const StudyFields fields = study_fields(small_setting(FieldSource::normal));
  const std::size_t vertices = fields.space.tessellation().vertices();
  ASSERT_EQ(fields.velocities.size(), 7 * vertices);
  for (std::size_t field = 0; field < 7; ++field) {
    EXPECT_EQ(fields.velocities[field * vertices], 0.0);
    EXPECT_EQ(fields.velocities[(field + 1) * vertices - 1], 0.0);
  }
  EXPECT_TRUE(std::ranges::all_of(fields.points, [](double x) { return x >= 0 && x < 1; }));
}

TEST(StudyFields, ComeFromThePriorWithTheirSizeSquaredAsVariance) {
  StudySetting setting = small_setting();
  setting.size = 0.5;
  const StudyFields fields = study_fields(setting);
  const Matrix theta = Prior(fields.space, 0.25, setting.length_scale).sample(setting.fields, setting.seed);
  const std::vector<double> first = fields.space.velocities(theta.row(0));
  constexpr double kRounding = 1e-14;  // a square root and a product on the way, of values below 1
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_NEAR(fields.velocities[i], first[i], kRounding);
}

TEST(StudyFields, OfOnesHaveThatTheta) {
  StudySetting setting = small_setting(FieldSource::ones);
  setting.size = 2.5;
  const StudyFields fields = study_fields(setting);
  constexpr double kRounding = 1e-13;  // of the inverse of a basis of condition below 100
  for (const double value : fields.space.theta(fields.velocities)) EXPECT_NEAR(value, 2.5, kRounding);
}

TEST(StudyFields, MayHaveTheSamePointsForAll) {
  StudySetting setting = small_setting();
  setting.layout = PointLayout::equally_spaced;
  setting.points = 5;
  const StudyFields fields = study_fields(setting);
  const std::vector<double> expected = {0, 0.25, 0.5, 0.75, 1};
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), fields.points.begin()));
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), fields.points.end() - 5));
}

/// What is said about a setting after the change.
template <class Change>
std::string complaint(const Change& change) {
  StudySetting setting = small_setting();
  change(setting);
  return message_of([&] { static_cast<void>(study_fields(setting)); });
}

TEST(StudyFields, RefuseSettingsWithoutMeaning) {
  EXPECT_EQ(complaint([](auto& it) { it.fields = 0; }), "fields: expected at least one, got 0");
  EXPECT_EQ(complaint([](auto& it) { it.points = 0; }), "points: expected at least one, got 0");
  EXPECT_EQ(complaint([](auto& it) { it.cells = 1; }), "cells: expected at least 2, got 1");
  EXPECT_EQ(complaint([](auto& it) { it.size = -1; }), "size: expected 0 or more, got -1");
  EXPECT_EQ(complaint([](auto& it) { it.size = std::nan(""); }), "size: expected 0 or more, got nan");
  EXPECT_EQ(complaint([](auto& it) { it.length_scale = 0; }), "length_scale: expected more than 0, got 0");
  EXPECT_EQ(complaint([](auto& it) { it.source = FieldSource::ones; }), "fields: expected 1 of ones, got 7");
  EXPECT_EQ(message_of([] { static_cast<void>(field_source_from_name("one")); }),
            "source: expected prior, normal or ones, got one");
}

}  // namespace study_fields_test
}  // namespace diffeo
