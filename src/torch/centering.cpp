#include "centering.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "layered_warp.hpp"

namespace diffeo {
namespace {

constexpr std::size_t kMostSteps = 50;

/// How far the mean warp is from the identity, at every vertex.
std::vector<double> mean_displacement(const std::vector<Matrix>& layers, const TrainingOptions& options,
                                      const Group& group, std::size_t threads) {
  const std::size_t cases = layers.front().rows();
  const Matrix vertices = equal_times(cases, layers.front().columns());
  const Matrix positions = layered_positions(layers, vertices, options, false, threads);
  std::vector<double> sums(vertices.columns() + 1, 0.0);
  sums.back() = static_cast<double>(cases);
  for (std::size_t row = 0; row < cases; ++row) {
    for (std::size_t vertex = 0; vertex < vertices.columns(); ++vertex) {
      sums[vertex] += positions(row, vertex) - vertices(row, vertex);
    }
  }
  group.sum(sums);
  const double count = sums.back();
  sums.pop_back();
  for (double& sum : sums) sum /= count;
  return sums;
}

double largest(const std::vector<double>& values) {
  double result = 0.0;
  for (const double value : values) result = std::max(result, std::abs(value));
  return result;
}

}  // namespace

std::vector<std::vector<double>> centering_offsets(const std::vector<Matrix>& velocities,
                                                   const TrainingOptions& options, const Group& group,
                                                   std::size_t threads) {
  const std::size_t vertices = velocities.front().columns();
  std::vector<std::vector<double>> offsets(velocities.size(), std::vector<double>(vertices, 0.0));
  std::vector<std::vector<double>> best = offsets;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t step = 0; step < kMostSteps; ++step) {
    std::vector<Matrix> layers = velocities;
    subtract_offsets(offsets, layers);
    const std::vector<double> displacement = mean_displacement(layers, options, group, threads);
    if (const double found = largest(displacement); found < least) {
      least = found;
      best = offsets;
    }
    if (!(least > kCenteredWithin)) break;
    for (std::vector<double>& offset : offsets) {
      for (std::size_t vertex = 0; vertex < vertices; ++vertex) {
        offset[vertex] += displacement[vertex] / static_cast<double>(offsets.size());
      }
    }
  }
  return best;
}

void subtract_offsets(const std::vector<std::vector<double>>& offsets, std::vector<Matrix>& velocities) {
  for (std::size_t layer = 0; layer < offsets.size(); ++layer) {
    const std::span<double> values = velocities[layer].values();
    for (std::size_t index = 0; index < values.size(); ++index)
      values[index] -= offsets[layer][index % offsets[layer].size()];
  }
}

}  // namespace diffeo
