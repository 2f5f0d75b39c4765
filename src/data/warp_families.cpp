#include "data/warp_families.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/equally_spaced.hpp"
#include "data/displacement.hpp"
#include "data/uniform.hpp"
#include "diffeo/error.hpp"
#include "diffeo/flow.hpp"
#include "diffeo/prior.hpp"
#include "diffeo/random.hpp"
#include "diffeo/warp_space.hpp"

namespace diffeo {
namespace {

constexpr std::size_t kCellsOfFlows = 16;
constexpr double kLengthScaleOfFlows = 0.1;
constexpr std::size_t kPeriods = 4;              // of a random Fourier series
constexpr std::size_t kPointsOfIntegral = 2001;  // between which a `fourier` warp is linear
constexpr std::size_t kPointsOfDisplacement = 1001;
constexpr int kBisectionsOfInverse = 60;  // of [0, 1]: below the spacing of doubles near 1
// `moves`: two standard deviations of a narrow peak stay as they are on both sides of a mark.
constexpr double kRigidRadius = 0.06;
constexpr double kLeastGap = 2 * kRigidRadius;
constexpr double kLeastMargin = 0.08;
constexpr int kTriesOfMoves = 100'000;

/// The warp of a case at a strength; strength 0 moves nothing.
using StrengthenedWarp = std::function<KnownWarp(std::size_t item, double strength)>;

/// The warp that is `at(x)` at every x.
template <class At>
KnownWarp pointwise(const At& at) {
  return [at](std::span<const double> points) {
    std::vector<double> positions(points.size());
    std::ranges::transform(points, positions.begin(), at);
    return positions;
  };
}

KnownWarp identity() {
  return [](std::span<const double> points) { return std::vector<double>(points.begin(), points.end()); };
}

/// Linear between (xs, ys), both increasing from 0 to 1.
KnownWarp piecewise_linear(std::vector<double> xs, std::vector<double> ys) {
  return pointwise([xs = std::move(xs), ys = std::move(ys)](double x) {
    const auto above = std::upper_bound(xs.begin() + 1, xs.end() - 1, x) - xs.begin();
    const auto right = static_cast<std::size_t>(above);
    const double share = (x - xs[right - 1]) / (xs[right] - xs[right - 1]);
    return ys[right - 1] + share * (ys[right] - ys[right - 1]);
  });
}

StrengthenedWarp flow_warps(std::size_t cases, Random& random) {
  const WarpSpace space(kCellsOfFlows);
  const Matrix theta = Prior(space, 1.0, kLengthScaleOfFlows).sample(cases, random.bits());
  Matrix velocities(cases, kCellsOfFlows + 1);
  space.velocities(Rows<const double>(theta.values().data(), theta.rows(), theta.columns()),
                   Rows<double>(velocities.values().data(), velocities.rows(), velocities.columns()));
  return [velocities](std::size_t item, double strength) -> KnownWarp {
    const auto row = velocities.row(item);
    return [field = std::vector<double>(row.begin(), row.end()), strength](std::span<const double> points) {
      return flow<double>(field, {points.begin(), points.end()}, strength);
    };
  };
}

StrengthenedWarp exponential_warps(std::size_t cases) {
  return [cases](std::size_t item, double strength) {
    const double share = cases == 1 ? 1 : 2 * static_cast<double>(item) / static_cast<double>(cases - 1) - 1;
    const double a = share * strength;
    return a == 0 ? identity() : pointwise([a](double x) { return std::expm1(a * x) / std::expm1(a); });
  };
}

/// A random Fourier series at the points of the integral.
std::vector<double> fourier_series(Random& random) {
  const std::vector<double> points = equally_spaced(kPointsOfIntegral);
  std::vector<double> values(points.size(), 0.0);
  for (std::size_t k = 1; k <= kPeriods; ++k) {
    const double of_cosine = random.normal(), of_sine = random.normal();
    const double period = static_cast<double>(k);
    for (std::size_t j = 0; j < points.size(); ++j) {
      const double angle = 2 * std::numbers::pi * period * points[j];
      values[j] += (of_cosine * std::cos(angle) + of_sine * std::sin(angle)) / period;
    }
  }
  return values;
}

/// The integral of exp(strength * series) from 0, as a share of the whole, by the trapezoidal rule.
std::vector<double> normalized_integral(const std::vector<double>& series, double strength) {
  const double largest = std::ranges::max(series);
  const auto slope = [&](std::size_t j) { return std::exp(strength * (series[j] - largest)); };  // at most 1
  std::vector<double> integral(series.size(), 0.0);
  for (std::size_t j = 1; j < series.size(); ++j) integral[j] = integral[j - 1] + slope(j - 1) + slope(j);
  const double whole = integral.back();
  for (double& value : integral) value /= whole;
  return integral;
}

StrengthenedWarp fourier_warps(std::size_t cases, Random& random) {
  std::vector<std::vector<double>> series(cases);
  for (auto& each : series) each = fourier_series(random);
  return [series](std::size_t item, double strength) {
    return piecewise_linear(equally_spaced(kPointsOfIntegral), normalized_integral(series[item], strength));
  };
}

StrengthenedWarp logistic_warps(std::size_t cases, Random& random) {
  std::vector<double> shifts(cases);
  for (double& shift : shifts) shift = uniform(random, -1, 1);
  return [shifts](std::size_t item, double strength) {
    const double factor = std::exp(shifts[item] * strength);
    return pointwise([factor](double x) { return x * factor / (1 - x + x * factor); });
  };
}

StrengthenedWarp strengthened(std::size_t cases, std::uint64_t seed, WarpFamily family) {
  Random random(seed);
  switch (family) {
    case WarpFamily::exponential:
      return exponential_warps(cases);
    case WarpFamily::fourier:
      return fourier_warps(cases, random);
    case WarpFamily::logistic:
      return logistic_warps(cases, random);
    case WarpFamily::flow:
    case WarpFamily::moves:
      break;
  }
  return flow_warps(cases, random);
}

double largest_displacement(const StrengthenedWarp& warps, std::size_t cases, double strength) {
  const std::vector<double> points = equally_spaced(kPointsOfDisplacement);
  double largest = 0;
  for (std::size_t item = 0; item < cases; ++item) {
    const std::vector<double> positions = warps(item, strength)(points);
    for (std::size_t j = 0; j < points.size(); ++j) largest = std::max(largest, std::fabs(positions[j] - points[j]));
  }
  return largest;
}

bool have_room(std::span<const double> marks, double margin) {
  if (!marks.empty() && (marks.front() < margin || marks.back() > 1 - margin)) return false;
  for (std::size_t k = 1; k < marks.size(); ++k) {
    if (marks[k] - marks[k - 1] < kLeastGap) return false;
  }
  return true;
}

std::vector<double> moved_marks(Random& random, std::span<const double> marks, double displacement) {
  std::vector<double> moved(marks.size());
  for (int i = 0; i < kTriesOfMoves; ++i) {
    for (std::size_t k = 0; k < marks.size(); ++k) moved[k] = marks[k] + uniform(random, -displacement, displacement);
    if (have_room(moved, kLeastMargin)) return moved;
  }
  throw std::invalid_argument(message("displacement: expected room for the moved marks, got ", displacement));
}

KnownWarp rigid_around_marks(std::span<const double> from, std::span<const double> to) {
  std::vector<double> xs{0.0}, ys{0.0};
  for (std::size_t k = 0; k < from.size(); ++k) {
    for (const double side : {-kRigidRadius, kRigidRadius}) {
      xs.push_back(from[k] + side);
      ys.push_back(to[k] + side);
    }
  }
  xs.push_back(1);
  ys.push_back(1);
  return piecewise_linear(std::move(xs), std::move(ys));
}

std::vector<KnownWarp> moves(std::size_t cases, std::uint64_t seed, double displacement,
                             std::span<const double> marks) {
  // More than the radius from the ends: W increases strictly there too.
  require(have_room(marks, kLeastMargin), "family: expected marks at least ", kLeastGap, " apart for moves");
  Random random(seed);
  std::vector<KnownWarp> warps;
  for (std::size_t item = 0; item < cases; ++item) {
    warps.push_back(rigid_around_marks(moved_marks(random, marks, displacement), marks));
  }
  return warps;
}

}  // namespace

std::vector<KnownWarp> draw_warps(std::size_t cases, std::uint64_t seed, WarpFamily family, double displacement,
                                  std::span<const double> marks) {
  if (cases == 0 || displacement == 0) return std::vector<KnownWarp>(cases, identity());
  if (family == WarpFamily::moves) return moves(cases, seed, displacement, marks);
  const StrengthenedWarp warp_of = strengthened(cases, seed, family);
  const double strength = strength_reaching(
      displacement, [&](double candidate) { return largest_displacement(warp_of, cases, candidate); });
  std::vector<KnownWarp> warps;
  for (std::size_t item = 0; item < cases; ++item) warps.push_back(warp_of(item, strength));
  return warps;
}

std::vector<double> inverse_of(const KnownWarp& warp, std::span<const double> values) {
  std::vector<double> low(values.size(), 0.0);
  double step = 1;
  for (int i = 0; i < kBisectionsOfInverse; ++i) {
    step /= 2;
    std::vector<double> middle = low;
    for (double& x : middle) x += step;
    const std::vector<double> reached = warp(middle);
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (reached[k] <= values[k]) low[k] = middle[k];
    }
  }
  return low;
}

}  // namespace diffeo
