// Series with known warps.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/equally_spaced.hpp"
#include "data/displacement.hpp"
#include "data/uniform.hpp"
#include "diffeo/error.hpp"
#include "diffeo/flow.hpp"
#include "diffeo/generate.hpp"
#include "diffeo/prior.hpp"
#include "diffeo/random.hpp"
#include "diffeo/warp_space.hpp"

namespace diffeo {
namespace {

constexpr double kLargestDisplacement = 0.3;
constexpr std::size_t kFinePoints = 1001;  // where amplitudes and displacements are looked for, whatever the length

struct Bump {
  double center, width, height;
};

/// One channel of a template: a function on [0, 1].
class Template {
 public:
  Template(Random& random, std::size_t count) {
    const double part = 1 / static_cast<double>(count);
    double sign = random.uniform() < 0.5 ? -1 : 1;
    for (std::size_t j = 0; j < count; ++j, sign = -sign) {
      const double center = part * (static_cast<double>(j) + uniform(random, 0.25, 0.75));
      const double width = part * uniform(random, 0.25, 0.5);
      bumps_.push_back({center, width, sign * uniform(random, 0.5, 1)});
    }
    double amplitude = 0;
    for (const double x : equally_spaced(kFinePoints)) amplitude = std::max(amplitude, std::fabs((*this)(x)));
    for (Bump& bump : bumps_) bump.height /= amplitude;
  }

  [[nodiscard]] double operator()(double x) const noexcept {
    double value = 0;
    for (const Bump& bump : bumps_) {
      const double distance = (x - bump.center) / bump.width;
      value += bump.height * std::exp(-0.5 * distance * distance);
    }
    return value;
  }

 private:
  std::vector<Bump> bumps_;
};

/// A class's template: one function per channel.
using Templates = std::vector<std::vector<Template>>;

Templates draw_templates(Random& random, const BumpsOptions& options) {
  Templates templates(options.classes);
  for (auto& channels : templates) {
    for (std::size_t c = 0; c < options.channels; ++c) channels.emplace_back(random, options.bumps);
  }
  return templates;
}

/// Channel by channel, at the given positions.
std::vector<double> values_at(const std::vector<Template>& channels, std::span<const double> positions) {
  std::vector<double> values;
  values.reserve(channels.size() * positions.size());
  for (const Template& channel : channels) {
    for (const double x : positions) values.push_back(channel(x));
  }
  return values;
}

/// Row i: phi_i at the time steps, after flowing for `time`.
Matrix warped_times(const Matrix& velocities, std::size_t length, double time) {
  const std::vector<double> points = equally_spaced(length);
  Matrix positions(velocities.rows(), length);
  flow<double>({{velocities.values().data(), velocities.rows(), velocities.columns()},
                std::span<const double>(points),
                std::span<const double>(&time, 1)},
               {positions.values().data(), positions.rows(), positions.columns()}, 1);
  return positions;
}

double largest_displacement(const Matrix& velocities, double time) {
  const std::vector<double> points = equally_spaced(kFinePoints);
  const Matrix positions = warped_times(velocities, kFinePoints, time);
  double largest = 0;
  for (std::size_t i = 0; i < positions.rows(); ++i) {
    for (std::size_t j = 0; j < kFinePoints; ++j) largest = std::max(largest, std::fabs(positions(i, j) - points[j]));
  }
  return largest;
}

Matrix draw_velocities(std::uint64_t seed, std::size_t cases, const BumpsOptions& options) {
  const WarpSpace space(options.cells);
  Matrix velocities(cases, options.cells + 1);
  if (cases == 0 || options.displacement == 0) return velocities;
  const Matrix theta = Prior(space, 1.0, options.length_scale).sample(cases, seed);
  space.velocities(Rows<const double>(theta.values().data(), theta.rows(), theta.columns()),
                   Rows<double>(velocities.values().data(), velocities.rows(), velocities.columns()));
  // Flowing twice as fast for a while is flowing for twice as long, and a point never turns back, so the displacement
  // grows with the factor.
  const double factor = strength_reaching(options.displacement,
                                          [&](double strength) { return largest_displacement(velocities, strength); });
  for (double& velocity : velocities.values()) velocity *= factor;
  return velocities;
}

void require_options(const BumpsOptions& options) {
  require(options.classes > 0, "classes: expected at least 1, got 0");
  require(options.channels > 0, "channels: expected at least 1, got 0");
  require(options.length >= 2, "length: expected at least 2 time steps, got ", options.length);
  require(options.bumps > 0, "bumps: expected at least 1, got 0");
  require(options.cells >= 2, "cells: expected at least 2, got ", options.cells);
  require(options.displacement >= 0 && options.displacement <= kLargestDisplacement,
          "displacement: expected a fraction from 0 to ", kLargestDisplacement, " of the length, got ",
          options.displacement);
  require(options.noise >= 0 && std::isfinite(options.noise),
          "noise: expected a finite fraction of the amplitude, not negative, got ", options.noise);
}

Dataset labeled_templates(const Templates& templates, std::size_t channels, std::size_t length) {
  const std::vector<double> points = equally_spaced(length);
  Dataset set(channels);
  for (std::size_t k = 0; k < templates.size(); ++k)
    set.add_case(values_at(templates[k], points), std::to_string(k + 1));
  return set;
}

}  // namespace

Bumps generate_bumps(std::size_t cases, std::uint64_t seed, const BumpsOptions& options) {
  require_options(options);
  Random random(seed);
  const Templates templates = draw_templates(random, options);
  Bumps result{Dataset(options.channels), draw_velocities(random.bits(), cases, options),
               labeled_templates(templates, options.channels, options.length)};
  const Matrix positions = warped_times(result.velocities, options.length, 1.0);
  result.dataset.reserve(cases, cases * options.channels * options.length);
  for (std::size_t item = 0; item < cases; ++item) {
    const std::size_t number = item % options.classes;
    std::vector<double> values = values_at(templates[number], positions.row(item));
    for (double& value : values) value += options.noise * random.normal();
    result.dataset.add_case(values, std::to_string(number + 1));
  }
  return result;
}

}  // namespace diffeo
