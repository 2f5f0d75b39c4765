// Seeded random problems for tests of properties: how many, where they start, and what is computed with them.
//
// DIFFEO_PROPERTY_FIELDS sets how many fields are drawn, DIFFEO_PROPERTY_SEED where to start.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "core/rounding.hpp"
#include "diffeo/flow.hpp"
#include "support/random_fields.hpp"
#include "support/under_test.hpp"

namespace diffeo::testing {

inline constexpr std::size_t kPoints = 6;
// Arguments may seem perturbed by this many units roundoff: the golden vectors show 9 at worst, and each side of an
// equation adds its own.
inline constexpr double kBackwardErrors = 32;

template <class Real>
inline constexpr double kRoundoff = std::numeric_limits<Real>::epsilon() / 2;

inline std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}
inline std::uint64_t field_count() {
#ifdef DIFFEO_SANITIZED
  constexpr std::uint64_t kDefault = 10'000;
#else
  constexpr std::uint64_t kDefault = 1'000'000;
#endif
  return setting("DIFFEO_PROPERTY_FIELDS", kDefault / under_test::kSlowness);
}

/// One random problem in the precision under test.
template <class Real>
struct Problem {
  RandomField field;
  std::vector<Real> velocities;
  std::vector<Real> points;

  explicit Problem(Random& random) : field(random_field(random)) {
    velocities.assign(field.velocities.begin(), field.velocities.end());
    const std::vector<double> wanted = random_points(random, field, kPoints);
    points.assign(wanted.begin(), wanted.end());
    field.domain.lower = rounded_to<Real>(field.domain.lower);
    field.domain.upper = rounded_to<Real>(field.domain.upper);
  }
  [[nodiscard]] std::vector<Real> flow(const std::vector<Real>& from, double time) const {
    return under_test::flow(velocities, from, time, field.domain);
  }
  [[nodiscard]] double reach() const { return std::max(std::fabs(field.domain.lower), std::fabs(field.domain.upper)); }
  [[nodiscard]] double slack(double position) const {
    return kBackwardErrors * kRoundoff<Real> * (std::fabs(position) + reach());
  }
};

template <class Real>
bool all_finite(const std::vector<Real>& values) {
  return std::all_of(values.begin(), values.end(), [](Real value) { return std::isfinite(value); });
}

/// Where random problem number `index` comes from, to repeat it alone.
inline std::string label(std::uint64_t index) {
  return "DIFFEO_PROPERTY_SEED=" + std::to_string(index) + " DIFFEO_PROPERTY_FIELDS=1";
}

/// Calls check(problem, random) for every random problem until one fails.
template <class Real, class Check>
void for_random_problems(std::uint64_t count, const Check& check, std::uint64_t skipped = 0) {
  const std::uint64_t first = setting("DIFFEO_PROPERTY_SEED", 1) + skipped;
  std::cout << "seeds " << first << " to " << first + count - 1 << "\n";
  for (std::uint64_t index = first; index < first + count; ++index) {
    Random random(index);
    const Problem<Real> problem(random);
    check(problem, random);
    if (::testing::Test::HasFailure()) {
      ADD_FAILURE() << label(index) << ": " << problem.velocities.size() - 1 << " cells on ["
                    << problem.field.domain.lower << ", " << problem.field.domain.upper << "], time "
                    << problem.field.time;
      return;
    }
  }
}

/// A random direction for every argument, and random weights for the positions.
struct Direction {
  std::vector<double> velocities, points, cotangents;
  double time;

  Direction(const Problem<double>& problem, Random& random)
      : velocities(problem.velocities.size()), points(kPoints), cotangents(kPoints), time(random.normal()) {
    for (std::size_t j = 0; j < velocities.size(); ++j) velocities[j] = random.normal() * problem.velocities[j];
    for (double& value : points) value = random.normal();
    for (double& value : cotangents) value = random.normal();
  }
};

inline FlowProblem<double> view(const Problem<double>& problem) {
  return {.velocities = std::span(problem.velocities),
          .points = std::span(problem.points),
          .times = {&problem.field.time, 1},
          .domain = problem.field.domain};
}

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
inline std::vector<double> magnitudes(std::vector<double> values) {
  for (double& value : values) value = std::fabs(value);
  return values;
}

/// The largest magnitude among an entry and its neighbors.
inline std::vector<double> with_neighbors(const std::vector<double>& values) {
  std::vector<double> largest = magnitudes(values);
  for (std::size_t j = 0; j + 1 < values.size(); ++j) {
    largest[j] = std::max(largest[j], std::fabs(values[j + 1]));
    largest[j + 1] = std::max(largest[j + 1], std::fabs(values[j]));
  }
  return largest;
}

/// Relative error that derivatives may have: growth factors e^{st} carry |s t| roundoffs.
inline double derivative_tolerance(const Problem<double>& problem) {
  double steepest = 0;
  for (std::size_t j = 0; j + 1 < problem.velocities.size(); ++j) {
    steepest = std::max(steepest, std::fabs(problem.velocities[j + 1] - problem.velocities[j]));
  }
  const auto cells = static_cast<double>(problem.velocities.size() - 1);
  const double width = problem.field.domain.upper - problem.field.domain.lower;
  const double growth = steepest * cells / width * std::fabs(problem.field.time);
  return kBackwardErrors * kRoundoff<double> * (cells + growth * (1 + problem.reach() / width * cells));
}

}  // namespace diffeo::testing
