// A seeded batch of flow problems in which points meet all kinds of pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "diffeo/flow.hpp"
#include "diffeo/random.hpp"

namespace diffeo::testing {

inline std::vector<double> grid_points(std::size_t count, double lower = 0, double upper = 1) {
  std::vector<double> points(count);
  for (std::size_t i = 0; i < count; ++i) {
    points[i] = lower + (upper - lower) * static_cast<double>(i) / static_cast<double>(count - 1);
  }
  return points;
}

struct FlowBatch {
  std::size_t rows, cells, points;
  std::vector<double> velocities, point_rows, cotangents, times;

  FlowBatch(std::size_t row_count, std::size_t cell_count, std::size_t point_count, std::uint64_t seed)
      : rows(row_count), cells(cell_count), points(point_count) {
    Random random(seed);
    for (std::size_t i = 0; i < rows * (cells + 1); ++i) velocities.push_back(0.4 * random.normal());
    for (std::size_t i = 0; i < rows * points; ++i) point_rows.push_back(random.uniform() * 1.2 - 0.1);
    for (std::size_t i = 0; i < rows * points; ++i) cotangents.push_back(random.normal());
    for (std::size_t i = 0; i < rows; ++i) times.push_back(random.normal());
  }
  [[nodiscard]] FlowProblem<double> problem() const {
    return {.velocities = {velocities.data(), rows, cells + 1},
            .points = {point_rows.data(), rows, points},
            .times = times};
  }
};

}  // namespace diffeo::testing
