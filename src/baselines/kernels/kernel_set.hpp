// The kernels of dynamic time warping that exist once per instruction set, as a table of functions.
//
// A recurrence over a matrix of cells, where each cell waits for the one before, leaves a vector unit idle. So every
// lane of a vector has a pair of series of its own: several recurrences advance side by side, and each lane computes
// exactly what one pair alone would, whatever its neighbors are: the same bits for any number of lanes.
//
// All of them are noexcept, allocate nothing and trust their arguments.
#pragma once

#include <cstddef>
#include <cstdint>

namespace diffeo::kernels {

/// The most lanes that any instruction set has.
inline constexpr std::size_t kMostLanes = 8;

/// Pairs of series, one per lane. Arrays are interleaved: the values of the lanes lie side by side, (time, channel,
/// lane), and are aligned to the vector.
struct LanePairs {
  const double* first;                    // (rows, channels, lanes)
  const double* second;                   // (columns, channels, lanes)
  std::size_t rows;                       // no less than any first series is long
  std::size_t columns;                    // no less than any second series is long
  std::size_t channels;                   // at least 1
  std::size_t first_length[kMostLanes];   // per lane
  std::size_t second_length[kMostLanes];  // per lane
};

/// The band of cells (i, j) that a path may visit: lowest <= j - i <= highest, per lane.
struct LaneBand {
  std::ptrdiff_t lowest[kMostLanes];
  std::ptrdiff_t highest[kMostLanes];
};

/// What a lane that is shorter than its neighbors is filled up with, so that its result travels to the last row and
/// column for nothing: against any value the cost is infinite, against itself it is 0.
inline constexpr double kFiller = 1e300;

/// Where the best path to a cell comes from, a bit per lane in each half: low byte, from (i-1, j-1); else high byte
/// set, from (i-1, j); else from (i, j-1).
using LaneSteps = std::uint16_t;

/// What the soft recurrence needs beside its arguments; see soft_dtw_lanes.hpp.
struct SoftSpace {
  double* row;               // (columns + 1, 2, lanes)
  double* saved_rows;        // (segments, columns + 1, 2, lanes); only for gradients, as all below
  double* weights;           // (segment_rows, columns, 3, lanes)
  double* incoming;          // (columns, lanes)
  std::size_t segment_rows;  // at least 1; segments = rows / segment_rows, rounded up
};

/// The sum over all paths of exp(-cost / gamma) as mantissa * 2^exponent, per lane.
struct SoftSums {
  double mantissa[kMostLanes];
  double exponent[kMostLanes];
};

struct BaselineKernels {
  std::size_t lanes;
  /// squared[lane] = the least sum of squared differences over the paths inside the band. `row` has space for
  /// (columns + 1, lanes). `steps`, unless null, gets (rows, columns) entries; those of cells outside the band of every
  /// lane are not written.
  void (*dtw)(const LanePairs& pairs, const LaneBand& band, double* row, LaneSteps* steps, double* squared) noexcept;
  SoftSums (*soft_dtw)(const LanePairs& pairs, double inverse_gamma, const SoftSpace& space) noexcept;
  /// gradient: (rows, channels, lanes), by the first series, of -gamma log(sum).
  SoftSums (*soft_dtw_gradient)(const LanePairs& pairs, double inverse_gamma, const SoftSpace& space,
                                double* gradient) noexcept;
};

/// The best kernels this machine can run (diffeo::instruction_set()).
[[nodiscard]] const BaselineKernels& baseline_kernels() noexcept;

}  // namespace diffeo::kernels
