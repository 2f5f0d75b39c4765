#include "diffeo/studies/squaring_study.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "studies/flow_scheme.hpp"
#include "studies/theta_jacobian.hpp"
#include "support/message_of.hpp"

namespace diffeo {
namespace squaring_study_test {

using testing::message_of;

constexpr std::size_t kPoints = 33;

SquaringOptions small_options() {
  SquaringOptions options;
  options.setting = {.source = FieldSource::prior, .fields = 2, .points = kPoints, .seed = 2};
  options.sizes = {0, 1};
  options.most_squarings = 3;
  return options;
}

/// 256 cells that follow a sine: smooth as far as the grid of points can tell.
StudyFields sine_field(double amplitude, std::size_t points) {
  const StudySetting setting = {.source = FieldSource::ones,
                                .fields = 1,
                                .points = points,
                                .layout = PointLayout::equally_spaced,
                                .cells = 256,
                                .basis = Basis::sparse};
  StudyFields fields = study_fields(setting);
  for (std::size_t i = 0; i < fields.velocities.size(); ++i) {
    const double x = static_cast<double>(i) / 256;
    fields.velocities[i] = amplitude * std::sin(2 * std::numbers::pi * x);
  }
  return fields;
}

double sine_error(double amplitude, std::size_t points, std::size_t squarings) {
  const StudyFields fields = sine_field(amplitude, points);
  return squaring_error(fields, exact_answers(fields), squarings).value;
}

/// What the last squaring adds to the error.
double added_error(double amplitude, std::size_t points, std::size_t squarings) {
  return sine_error(amplitude, points, squarings) - sine_error(amplitude, points, squarings - 1);
}

// Of N compositions the k-th interpolates what is bent in proportion to 2^(k-N), and its error is doubled N-1-k times:
// each counts as much as the others, until a step goes less far than the next point and interpolates nearer to its
// node.

TEST(SquaringStudy, SquaringsAddAsMuchEachWhileStepsGoFartherThanThePointsAreApart) {
  constexpr double kOtherTerms = 0.3;  // where between its nodes a position lies is not the same for all steps
  const double second = added_error(0.3, 129, 2);
  for (std::size_t squarings = 3; squarings <= 5; ++squarings) {  // the last step goes 1.2 spacings
    EXPECT_NEAR(added_error(0.3, 129, squarings) / second, 1, kOtherTerms) << squarings;
  }
}

TEST(SquaringStudy, SquaringsAddHalfAsMuchAsTheOneBeforeAfterwards) {
  constexpr double kOtherTerms = 0.03;
  for (std::size_t squarings = 6; squarings <= 8; ++squarings) {
    EXPECT_NEAR(added_error(0.05, 33, squarings) / added_error(0.05, 33, squarings - 1), 0.5, kOtherTerms) << squarings;
  }
}

TEST(SquaringStudy, TheErrorFallsWithTheSquareOfTheSpacing) {
  constexpr double kOrderTolerance = 0.25;  // nodes and positions meet elsewhere on another grid
  EXPECT_NEAR(std::log2(sine_error(0.3, 33, 1) / sine_error(0.3, 129, 1)) / 2, 2, kOrderTolerance);
}

TEST(SquaringStudy, WithoutSquaringsThereIsNoError) {
  const SquaringErrors errors = squaring_errors(small_options());
  for (const auto& of_size : errors.sizes) {
    EXPECT_EQ(of_size[0].value, 0);
    EXPECT_EQ(of_size[0].gradient, 0);
    EXPECT_EQ(of_size[0].largest_value, 0);
    EXPECT_EQ(of_size[0].largest_gradient, 0);
  }
}

TEST(SquaringStudy, FieldsWithoutVelocityStayInPlace) {
  const SquaringErrors errors = squaring_errors(small_options());
  EXPECT_EQ(errors.displacements[0], 0);
  EXPECT_GT(errors.displacements[1], 0);
  for (const SquaringError& error : errors.sizes[0]) EXPECT_EQ(error.value, 0);
  for (std::size_t n = 1; n <= 3; ++n) EXPECT_GT(errors.sizes[1][n].value, 0);
}

TEST(SquaringStudy, RootMeanSquaresAreBelowTheLargest) {
  const SquaringErrors errors = squaring_errors(small_options());
  for (const SquaringError& error : errors.sizes[1]) {
    EXPECT_LE(error.value, error.largest_value);
    EXPECT_LE(error.gradient, error.largest_gradient);
  }
}

TEST(SquaringStudy, GradientsOfGridsAreThoseOfDifferences) {
  SquaringOptions options = small_options();
  options.setting.layout = PointLayout::equally_spaced;
  StudyFields fields = study_fields(options.setting);
  const FlowScheme scheme = squaring_scheme(3, 1);
  const std::vector<double> jacobian = theta_jacobian_of_grids(fields, scheme);
  const std::vector<double> before = scheme_positions(scheme, fields.problem());
  constexpr double kStep = 1e-7;
  constexpr double kTolerance = 1e-5;  // the step times second derivatives of about 10, where no node is passed
  const Matrix basis = fields.space.vertex_basis();
  for (std::size_t i = 0; i < fields.velocities.size(); ++i) {
    fields.velocities[i] += kStep * basis(i % basis.rows(), 1);
  }
  const std::vector<double> after = scheme_positions(scheme, fields.problem());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_NEAR(jacobian[i * fields.space.dimension() + 1], (after[i] - before[i]) / kStep, kTolerance) << i;
  }
}

TEST(SquaringStudy, HasTheSameBitsForAnyNumberOfThreads) {
  SquaringOptions options = small_options();
  options.threads = 1;
  const SquaringErrors one = squaring_errors(options);
  options.threads = 2;
  const SquaringErrors two = squaring_errors(options);
  EXPECT_EQ(one.sizes[1][3].value, two.sizes[1][3].value);
  EXPECT_EQ(one.sizes[1][3].gradient, two.sizes[1][3].gradient);
  EXPECT_EQ(one.gradients, two.gradients);
}

TEST(SquaringStudy, TimesEverySizeWithEveryNumberOfSquarings) {
  std::vector<double> told;
  const auto times = squaring_times(small_options(), 1, [&](double done) { told.push_back(done); });
  ASSERT_EQ(times.size(), 2U);
  for (const auto& of_size : times) {
    ASSERT_EQ(of_size.size(), 4U);
    for (const SquaringTime& each : of_size) {
      EXPECT_GT(each.forward, 0);
      EXPECT_GT(each.gradient, 0);
    }
  }
  EXPECT_EQ(told.size(), 8U);
  EXPECT_DOUBLE_EQ(told.back(), 1.0);
}

TEST(SquaringStudy, TimesInRoundsAndTellsOfProgressOnce) {
  std::vector<double> told;
  const auto times = squaring_times(small_options(), 25, [&](double done) { told.push_back(done); });
  ASSERT_EQ(times.size(), 2U);
  EXPECT_EQ(times[1].size(), 4U);
  EXPECT_TRUE(std::ranges::is_sorted(told));
  EXPECT_EQ(told.size(), 80U);  // ten rounds
  EXPECT_DOUBLE_EQ(told.back(), 1.0);
}

/// What is said about options after the change.
template <class Change>
std::string complaint(const Change& change) {
  SquaringOptions options = small_options();
  change(options);
  return message_of([&] { static_cast<void>(squaring_errors(options)); });
}

TEST(SquaringStudy, RefusesOptionsWithoutMeaning) {
  EXPECT_EQ(complaint([](auto& it) { it.sizes = {}; }), "sizes: expected at least one, got none");
  EXPECT_EQ(complaint([](auto& it) { it.sizes = {1, -2}; }), "size: expected 0 or more, got -2");
  EXPECT_EQ(complaint([](auto& it) { it.most_squarings = 31; }), "most_squarings: expected 0 to 30, got 31");
  EXPECT_EQ(message_of([] { static_cast<void>(squaring_times(small_options(), 0)); }),
            "repetitions: expected at least 1, got 0");
}

}  // namespace squaring_study_test
}  // namespace diffeo
