// Seeded random flow problems that look for trouble: velocities over fifteen decades, exact zeros, constant stretches,
// points on vertices, beside them and far outside.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "diffeo/flow.hpp"
#include "diffeo/random.hpp"

namespace diffeo::testing {

struct RandomField {
  Domain domain;
  std::vector<double> velocities;
  double time = 1;
};

inline double uniform(Random& random, double low, double high) { return low + (high - low) * random.uniform(); }

/// Log-uniform between 1e-12 and 1e3, either sign.
inline double wild_velocity(Random& random) {
  const double size = std::pow(10.0, uniform(random, -12, 3));
  return random.uniform() < 0.5 ? size : -size;
}

inline std::size_t log_uniform(Random& random, std::size_t low, std::size_t high) {
  const double exponent = uniform(random, std::log(static_cast<double>(low)), std::log(static_cast<double>(high) + 1));
  return std::clamp(static_cast<std::size_t>(std::exp(exponent)), low, high);
}

inline std::vector<double> random_velocities(Random& random, std::size_t cells) {
  std::vector<double> v(cells + 1);
  const double scale = std::fabs(wild_velocity(random));
  const double bias = random.uniform() < 0.5 ? 0.0 : uniform(random, -2, 2);
  switch (static_cast<int>(6 * random.uniform())) {
    case 0:  // every vertex for itself
      for (double& value : v) value = wild_velocity(random);
      break;
    case 1:  // one scale
      for (double& value : v) value = scale * (uniform(random, -1, 1) + bias);
      break;
    case 2:  // constant, or nearly so
      for (double& value : v) value = scale * (1 + (bias == 0 ? 0.0 : 1e-9 * random.uniform()));
      break;
    case 3: {  // smooth
      const double phase = uniform(random, 0, 7), waves = uniform(random, 0.5, 20);
      for (std::size_t j = 0; j <= cells; ++j) {
        v[j] = scale * (bias + std::sin(phase + waves * static_cast<double>(j) / static_cast<double>(cells)));
      }
      break;
    }
    case 4:  // steps and exact zeros
      for (std::size_t j = 0; j <= cells; ++j) {
        v[j] = j > 0 && random.uniform() < 0.6 ? v[j - 1] : (random.uniform() < 0.3 ? 0.0 : wild_velocity(random));
      }
      break;
    default:  // ordinary: what training sees
      for (double& value : v) value = 0.3 * random.normal();
  }
  if (random.uniform() < 0.4) v.front() = v.back() = 0;
  return v;
}

inline RandomField random_field(Random& random, std::size_t most_cells = 300) {
  RandomField field;
  if (random.uniform() < 0.2) {
    field.domain.lower = uniform(random, -5, 5);
    field.domain.upper = field.domain.lower + std::pow(10.0, uniform(random, -3, 2));
  }
  field.velocities = random_velocities(random, log_uniform(random, 1, most_cells));
  field.time = random.uniform() < 0.5 ? uniform(random, -10, 10) : uniform(random, -1, 1);
  return field;
}

/// Ascending.
inline std::vector<double> random_points(Random& random, const RandomField& field, std::size_t count) {
  const double width = field.domain.upper - field.domain.lower;
  const auto cells = static_cast<double>(field.velocities.size() - 1);
  std::vector<double> points(count);
  for (double& x : points) {
    const double kind = random.uniform();
    const double vertex = field.domain.lower + width * std::floor((cells + 1) * random.uniform()) / cells;
    x = field.domain.lower + width * random.uniform();
    if (kind < 0.15) x = vertex;
    if (kind > 0.15 && kind < 0.2) x = std::nextafter(vertex, kind < 0.175 ? -1e9 : 1e9);
    if (kind > 0.9) x = field.domain.lower + width * uniform(random, -1, 2);
  }
  std::sort(points.begin(), points.end());
  return points;
}

}  // namespace diffeo::testing
