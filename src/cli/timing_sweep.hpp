// How the time of a flow and of its gradient grows with points, cells and warps, one of them at a time.
//
// The middle of every sweep is the paper's timing setting: 30 cells, 1000 points, 40 warps; float32.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "cli/timing_case.hpp"

namespace diffeo::cli {

struct SweepTime {
  std::string varied;  ///< points, cells or warps
  CaseSize size;
  double forward = 0;   ///< milliseconds, the least of all repetitions
  double gradient = 0;  ///< of one vector-Jacobian product to the velocities
};

[[nodiscard]] std::vector<SweepTime> timing_sweep(std::size_t threads, std::size_t repetitions,
                                                  const std::function<void(double done)>& progress);

}  // namespace diffeo::cli
