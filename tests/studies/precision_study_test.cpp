#include "diffeo/studies/precision_study.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/message_of.hpp"

namespace diffeo {
namespace precision_study_test {

using testing::message_of;

StudySetting small_setting() {
  StudySetting setting;
  setting.fields = 12;
  setting.points = 200;
  setting.seed = 5;
  return setting;
}

/// Of the errors from a number of steps to four times as many.
double fitted_order(double coarse, double fine) { return std::log2(coarse / fine) / 2; }

// The leading error depends on where in its step a trajectory meets a vertex; the mean over fields of largest errors
// over points still wavers by that much.
constexpr double kOrderTolerance = 0.3;

TEST(PrecisionStudy, TheAlternatingSolverHasOrderTwoInPositionsAndOneInGradients) {
  const StudyFields fields = study_fields(small_setting());
  const ExactAnswers exact = exact_answers(fields);
  const PrecisionError coarse = alternating_error(fields, exact, {10, 8});
  const PrecisionError fine = alternating_error(fields, exact, {10, 32});
  EXPECT_NEAR(fitted_order(coarse.value, fine.value), 2, kOrderTolerance);
  EXPECT_NEAR(fitted_order(coarse.gradient, fine.gradient), 1, kOrderTolerance);
}

TEST(PrecisionStudy, RungeKuttaHasThoseOrdersTooWhereVerticesAreCrossed) {
  const StudyFields fields = study_fields(small_setting());
  const ExactAnswers exact = exact_answers(fields);
  const PrecisionError coarse = runge_kutta_error(fields, exact, 64);
  const PrecisionError fine = runge_kutta_error(fields, exact, 256);
  EXPECT_NEAR(fitted_order(coarse.value, fine.value), 2, kOrderTolerance);
  EXPECT_NEAR(fitted_order(coarse.gradient, fine.gradient), 1, kOrderTolerance);
}

TEST(PrecisionStudy, DifferencesKeepAnErrorThatNoNumberOfStepsRemoves) {
  const StudyFields fields = study_fields(small_setting());
  const ExactAnswers exact = exact_answers(fields);
  const PrecisionError error = alternating_error(fields, exact, {400, 20});
  EXPECT_GT(error.by_differences, 1e-4);  // h/2 times second derivatives of about 1
  EXPECT_LT(error.gradient, error.by_differences / 2);
}

TEST(PrecisionStudy, FieldsWithoutVelocityHaveNoError) {
  StudySetting setting = small_setting();
  setting.size = 0;
  const StudyFields fields = study_fields(setting);
  const ExactAnswers exact = exact_answers(fields);
  constexpr double kRounding = 8 * std::numeric_limits<double>::epsilon();  // of hat functions added up in steps
  for (const PrecisionError& error : {alternating_error(fields, exact, {3, 4}), runge_kutta_error(fields, exact, 5)}) {
    EXPECT_EQ(error.value, 0);
    EXPECT_LE(error.gradient, kRounding);
  }
}

TEST(PrecisionStudy, SinglePrecisionLosesAboutItsRoundingErrors) {
  const StudyFields fields = study_fields(small_setting());
  const PrecisionError error = single_precision_error(fields, exact_answers(fields));
  EXPECT_GT(error.value, 1e-8);
  constexpr double kFewRoundings = 64 * std::numeric_limits<float>::epsilon();  // grown by the conditioning of the flow
  EXPECT_LT(error.value, kFewRoundings);
  EXPECT_LT(error.gradient, 1e-3);
}

PrecisionOptions small_options() {
  PrecisionOptions options;
  options.setting = small_setting();
  options.setting.fields = 3;
  options.setting.points = 40;
  options.most_steps = 3;
  options.most_inner_steps = 2;
  options.runge_kutta_steps = {1, 2};
  return options;
}

TEST(PrecisionStudy, HasTheErrorsOfTheWholeMap) {
  const PrecisionOptions options = small_options();
  const PrecisionErrors errors = precision_errors(options);
  ASSERT_EQ(errors.alternating.size(), 3U);
  ASSERT_EQ(errors.alternating.front().size(), 2U);
  ASSERT_EQ(errors.runge_kutta.size(), 2U);
  const StudyFields fields = study_fields(options.setting);
  const ExactAnswers exact = exact_answers(fields);
  EXPECT_EQ(errors.alternating[2][1].value, alternating_error(fields, exact, {3, 2}).value);
  EXPECT_EQ(errors.alternating[2][1].gradient, alternating_error(fields, exact, {3, 2}).gradient);
  EXPECT_EQ(errors.runge_kutta[1].by_differences, runge_kutta_error(fields, exact, 2).by_differences);
  EXPECT_GT(errors.displacement, 0);
  EXPECT_GT(errors.largest_gradient, 0);
}

TEST(PrecisionStudy, HasTheSameBitsForAnyNumberOfThreads) {
  PrecisionOptions options = small_options();
  options.threads = 1;
  const PrecisionErrors one = precision_errors(options);
  options.threads = 2;
  const PrecisionErrors two = precision_errors(options);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(one.alternating[i][1].value, two.alternating[i][1].value);
    EXPECT_EQ(one.alternating[i][1].gradient, two.alternating[i][1].gradient);
    EXPECT_EQ(one.alternating[i][1].by_differences, two.alternating[i][1].by_differences);
  }
}

TEST(PrecisionStudy, TellsHowFarItIs) {
  std::vector<double> told;
  static_cast<void>(precision_errors(small_options(), [&](double done) { told.push_back(done); }));
  ASSERT_EQ(told.size(), 2U + 3U * 2U);
  EXPECT_TRUE(std::ranges::is_sorted(told));
  EXPECT_DOUBLE_EQ(told.back(), 1.0);
}

TEST(PrecisionStudy, TimesTheSchemesAsFarAsTheMapGoes) {
  const std::vector<SchemeTime> times = precision_times(small_options(), 1);
  ASSERT_EQ(times.size(), 1U + 2U + 2U);  // the closed form; 1 x 1 and 2 x 2; Runge-Kutta
  EXPECT_EQ(times[0].scheme, "closed-form");
  EXPECT_EQ(times[2].scheme, "alternating");
  EXPECT_EQ(times[2].inner_steps, 2U);
  for (const SchemeTime& each : times) {
    EXPECT_GT(each.forward, 0) << each.scheme;
    EXPECT_GT(each.gradient, 0) << each.scheme;
  }
}

/// What is said about options after the change.
template <class Change>
std::string complaint(const Change& change) {
  PrecisionOptions options = small_options();
  change(options);
  return message_of([&] { static_cast<void>(precision_errors(options)); });
}

TEST(PrecisionStudy, RefusesOptionsWithoutMeaning) {
  EXPECT_EQ(complaint([](auto& it) { it.most_steps = 0; }), "most_steps: expected at least 1, got 0");
  EXPECT_EQ(complaint([](auto& it) { it.most_inner_steps = 0; }), "most_inner_steps: expected at least 1, got 0");
  EXPECT_EQ(complaint([](auto& it) {
              it.runge_kutta_steps = {4, 0};
            }),
            "runge_kutta_steps: expected 1 to 1000000, got 0");
  EXPECT_EQ(complaint([](auto& it) { it.setting.cells = 0; }), "cells: expected at least 2, got 0");
  EXPECT_EQ(message_of([] { static_cast<void>(precision_times(small_options(), 0)); }),
            "repetitions: expected at least 1, got 0");
}

}  // namespace precision_study_test
}  // namespace diffeo
