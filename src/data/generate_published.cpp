// The generators whose formulas are published: cylinder-bell-funnel and synthetic control charts.
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "data/uniform.hpp"
#include "diffeo/error.hpp"
#include "diffeo/generate.hpp"
#include "diffeo/random.hpp"

namespace diffeo {
namespace {

/// Uniform among the integers first .. last.
std::size_t uniform_integer(Random& random, std::size_t first, std::size_t last) {
  return first + static_cast<std::size_t>(random.below(last - first + 1));
}

enum class Shape { cylinder, bell, funnel };
constexpr std::array kShapes = {Shape::cylinder, Shape::bell, Shape::funnel};

/// The share of the full height that a shape has `elapsed` of `duration` steps after its onset.
double height_share(Shape shape, double elapsed, double duration) noexcept {
  switch (shape) {
    case Shape::bell:
      return elapsed / duration;
    case Shape::funnel:
      return (duration - elapsed) / duration;
    case Shape::cylinder:
      break;
  }
  return 1;
}

void fill_cbf(Random& random, Shape shape, std::vector<double>& values) {
  const std::size_t length = values.size();
  const std::size_t onset = uniform_integer(random, length * 16 / 128, length * 32 / 128);
  const std::size_t duration = uniform_integer(random, length * 32 / 128, length * 96 / 128);
  const double height = 6 + random.normal();
  for (std::size_t j = 0; j < length; ++j) {
    const std::size_t t = j + 1;
    const bool is_on = t >= onset && t <= onset + duration;
    const double share =
        is_on ? height_share(shape, static_cast<double>(t - onset), static_cast<double>(duration)) : 0.0;
    values[j] = height * share + random.normal();
  }
}

enum class Chart { normal, cyclic, increasing, decreasing, upward_shift, downward_shift };
constexpr std::array kCharts = {Chart::normal,     Chart::cyclic,       Chart::increasing,
                                Chart::decreasing, Chart::upward_shift, Chart::downward_shift};
constexpr double kMean = 30;      // m
constexpr double kDeviation = 2;  // s

void add_cycle(Random& random, std::vector<double>& values) {
  const double amplitude = uniform(random, 10, 15);
  const double period = uniform(random, 10, 15);
  for (std::size_t j = 0; j < values.size(); ++j) {
    values[j] += amplitude * std::sin(2 * std::numbers::pi * static_cast<double>(j + 1) / period);
  }
}

void add_trend(Random& random, double sign, std::vector<double>& values) {
  const double gradient = sign * uniform(random, 0.2, 0.5);
  for (std::size_t j = 0; j < values.size(); ++j) values[j] += gradient * static_cast<double>(j + 1);
}

void add_shift(Random& random, double sign, std::vector<double>& values) {
  const auto length = static_cast<double>(values.size());
  const double size = sign * uniform(random, 7.5, 20);
  const double moment = uniform(random, length / 3, 2 * length / 3);
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (static_cast<double>(j + 1) >= moment) values[j] += size;
  }
}

void fill_chart(Random& random, Chart chart, std::vector<double>& values) {
  for (double& value : values) value = kMean + kDeviation * uniform(random, -3, 3);
  switch (chart) {
    case Chart::normal:
      return;
    case Chart::cyclic:
      return add_cycle(random, values);
    case Chart::increasing:
      return add_trend(random, 1, values);
    case Chart::decreasing:
      return add_trend(random, -1, values);
    case Chart::upward_shift:
      return add_shift(random, 1, values);
    case Chart::downward_shift:
      return add_shift(random, -1, values);
  }
}

/// Case i by fill(random, classes[i mod classes], values), labeled "1", "2", ...
template <class Classes, class Fill>
Dataset generate(std::size_t cases, std::uint64_t seed, std::size_t length, const Classes& classes, const Fill& fill) {
  Dataset set;
  set.reserve(cases, cases * length);
  Random random(seed);
  std::vector<double> values(length);
  for (std::size_t item = 0; item < cases; ++item) {
    const std::size_t number = item % classes.size();
    fill(random, classes[number], values);
    set.add_case(values, std::to_string(number + 1));
  }
  return set;
}

}  // namespace

Dataset generate_cbf(std::size_t cases, std::uint64_t seed, std::size_t length) {
  require(length >= 8, "length: expected at least 8 time steps for cylinder-bell-funnel, got ", length);
  return generate(cases, seed, length, kShapes, fill_cbf);
}

Dataset generate_synthetic_control(std::size_t cases, std::uint64_t seed, std::size_t length) {
  require(length >= 3, "length: expected at least 3 time steps for synthetic control charts, got ", length);
  return generate(cases, seed, length, kCharts, fill_chart);
}

}  // namespace diffeo
