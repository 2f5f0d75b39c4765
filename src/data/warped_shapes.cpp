#include "data/warped_shapes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "data/uniform.hpp"

namespace diffeo {
namespace {

using Form = ShapePart::Form;

constexpr double kLowestFactor = 0.3, kHighestFactor = 3.0;  // of a part of any height
constexpr double kDecayOfRinging = 0.5;                      // per period

WarpedShape two_peaks() {
  // exp(-(t -+ 1.5)^2 / 2) with t = 6 x - 3.
  return {{.center = 0.25, .width = 1.0 / 6}, {.center = 0.75, .width = 1.0 / 6}};
}

WarpedShape narrow_peaks() { return {{.center = 0.35, .width = 0.03}, {.center = 0.6, .width = 0.03}}; }

WarpedShape beat() {
  return {{.center = 0.20, .width = 0.025, .height = 0.15},
          {.center = 0.37, .width = 0.010, .height = -0.10},
          {.center = 0.40, .width = 0.012, .height = 1, .of_any_height = true},
          {.center = 0.43, .width = 0.010, .height = -0.25},
          {.center = 0.65, .width = 0.040, .height = 0.30}};
}

WarpedShape steps() {
  return {{.form = Form::edge, .center = 0.35, .width = 0.01, .height = 1},
          {.form = Form::ringing, .center = 0.35, .width = 0.05, .height = 0.4},
          {.form = Form::edge, .center = 0.7, .width = 0.02, .height = -0.6}};
}

WarpedShape peaks_in_equal_parts(Random& random, std::size_t count) {
  const double part = 1 / static_cast<double>(count);
  WarpedShape shape(count);
  double tallest = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const double center = part * (static_cast<double>(k) + uniform(random, 0.25, 0.75));
    const double width = part * uniform(random, 0.1, 0.2);
    shape[k] = {.center = center, .width = width, .height = uniform(random, 0.5, 1)};
    tallest = std::max(tallest, shape[k].height);
  }
  for (ShapePart& each : shape) each.height /= tallest;
  return shape;
}

WarpedShape first_channel(WarpedKind kind, Random& random, std::size_t peaks) {
  switch (kind) {
    case WarpedKind::two_peaks:
      return two_peaks();
    case WarpedKind::narrow_peaks:
      return narrow_peaks();
    case WarpedKind::beats:
      return beat();
    case WarpedKind::steps:
      return steps();
    case WarpedKind::peaks:
      break;
  }
  return peaks_in_equal_parts(random, peaks);
}

WarpedShape another_channel(const WarpedShape& first, Random& random) {
  WarpedShape shape = first;
  for (ShapePart& part : shape) {
    part.height = uniform(random, -1, 1);
    part.center += part.width * uniform(random, -0.5, 0.5);
  }
  return shape;
}

/// The centers, each once: ringing begins where a level changes.
std::vector<double> marks_of(const WarpedShape& shape) {
  std::vector<double> marks;
  for (const ShapePart& part : shape) {
    if (part.form != Form::ringing) marks.push_back(part.center);
  }
  return marks;
}

double value_at(const ShapePart& part, double x) {
  const double u = (x - part.center) / part.width;
  switch (part.form) {
    case Form::edge:
      return part.height * 0.5 * (1 + std::erf(u / std::numbers::sqrt2));
    case Form::ringing:
      return u <= 0 ? 0.0 : part.height * std::exp(-kDecayOfRinging * u) * std::sin(2 * std::numbers::pi * u);
    case Form::peak:
      break;
  }
  return part.height * std::exp(-0.5 * u * u);
}

}  // namespace

double value_at(const WarpedShape& shape, double x) {
  double value = 0;
  for (const ShapePart& part : shape) value += value_at(part, x);
  return value;
}

WarpedTemplate draw_template(WarpedKind kind, Random& random, std::size_t peaks, std::size_t channels) {
  WarpedTemplate result{{first_channel(kind, random, peaks)}, {}};
  for (std::size_t c = 1; c < channels; ++c) {
    result.channels.push_back(another_channel(result.channels.front(), random));
  }
  result.marks = marks_of(result.channels.front());
  return result;
}

WarpedShape varied(const WarpedShape& shape, Random& random, double height, double width) {
  WarpedShape result = shape;
  for (ShapePart& part : result) {
    const double any = std::exp(uniform(random, std::log(kLowestFactor), std::log(kHighestFactor)));
    const double near_one = 1 + height * random.normal();
    part.height *= part.of_any_height ? any : near_one;
    part.width *= std::exp(width * random.normal());
  }
  return result;
}

}  // namespace diffeo
