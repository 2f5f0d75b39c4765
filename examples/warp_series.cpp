// Warps a batch of series, each by its own random smooth warp, and undoes it.
//
// A warp is given by velocities at the vertices of a tessellation. Here they are drawn from the smoothness
// prior; the first and last are zero, so that the ends of the series stay where they are. Time -1 is the
// inverse of time 1.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <span>
#include <vector>

#include "diffeo/prior.hpp"
#include "diffeo/warp.hpp"
#include "diffeo/warp_space.hpp"

namespace {

constexpr std::size_t kCases = 8;
constexpr std::size_t kLength = 400;

/// The same two waves in every case.
std::vector<double> waves() {
  std::vector<double> series(kCases * kLength);
  for (std::size_t j = 0; j < kLength; ++j) {
    const double x = static_cast<double>(j) / (kLength - 1);
    const double value = std::sin(4 * std::numbers::pi * x);
    for (std::size_t i = 0; i < kCases; ++i) series[i * kLength + j] = value;
  }
  return series;
}

std::vector<double> random_velocities(const diffeo::WarpSpace& space) {
  const diffeo::Matrix theta = diffeo::Prior(space, 0.3, 0.2).sample(kCases, 7);
  const std::size_t vertices = space.tessellation().vertices();
  std::vector<double> velocities(kCases * vertices);
  space.velocities(diffeo::Rows<const double>(theta.values().data(), kCases, theta.columns()),
                   diffeo::Rows<double>(velocities.data(), kCases, vertices));
  return velocities;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest;
}

}  // namespace

int main() {
  const diffeo::WarpSpace space(16);
  const std::vector<double> velocities = random_velocities(space);
  const diffeo::Rows<const double> fields(velocities.data(), kCases, space.tessellation().vertices());

  const auto warp = [&](const std::vector<double>& series, double time) {
    std::vector<double> result(series.size());
    diffeo::warp<double>({{series.data(), kCases, 1, kLength}, fields, std::span(&time, 1)},
                         {result.data(), kCases, 1, kLength});
    return result;
  };
  const std::vector<double> series = waves();
  const std::vector<double> warped = warp(series, 1.0);
  const std::vector<double> restored = warp(warped, -1.0);

  const double moved = largest_difference(series, warped);
  const double left = largest_difference(series, restored);
  std::printf("%zu series of %zu samples: warping changes them by up to %.3f\n", kCases, kLength, moved);
  std::printf("the inverse warp brings them back to %.4f (linear interpolation, twice)\n", left);
  return moved > 0.1 && left < 0.02 ? 0 : 1;
}
