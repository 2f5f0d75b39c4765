// The inner loops of alignment that exist once per instruction set, as a table of functions.
//
// They are most of what an alignment takes: filtering the columns of a Jacobian and multiplying them with each other
// (whitened_products.hpp), one small linear system per case (lane_systems.hpp), and the costs of paths
// (path_costs.hpp).
//
//   * rows of blocks are padded with zeros to whole vectors of any instruction set: padded()
//   * systems come in packs of kPackSize, one in every lane; a system's result does not depend on the others
//
// All of them are noexcept, allocate nothing and trust their arguments.
#pragma once

#include <cstddef>

namespace diffeo::kernels {

/// Doubles in the longest vector.
inline constexpr std::size_t kPackSize = 8;

/// The columns of a block, rounded up to whole vectors.
constexpr std::size_t padded(std::size_t columns) noexcept { return (columns + kPackSize - 1) / kPackSize * kPackSize; }

/// Entries of a lower triangle, row after row.
constexpr std::size_t triangle(std::size_t rows) noexcept { return rows * (rows + 1) / 2; }

/// The filter of align/whitening.hpp.
struct WhiteningStep {
  double height_gain;
  double slope_gain;
  double factor;  // 1 / standard deviation of the innovation; 0 where the sample is missing
};
struct WhiteningFilter {
  const double* transition;  // 2 x 2
  const WhiteningStep* steps;
  std::size_t length;
};

/// kPackSize symmetric positive definite matrices A and what they are solved for. Interleaved: the numbers of the
/// systems lie side by side.
struct SystemPack {
  std::size_t size;
  double*
      matrices;  // lower triangles (triangle(size), kPackSize): of A, or of its factor L with 1 / L_jj for a diagonal
  double* vectors;  // b: (size, kPackSize)
};

/// A piece of path, tried at neighboring places of the series and one of the target.
struct PathPiece {
  const float* readings;   // (channels, samples, points): of the series, from the first place on
  const float* goals;      // (channels, points): of the target, from its place on; NaN where nothing is compared
  const float* end_goals;  // the same for the first and the last sample, which count half
  std::size_t channels;
  std::size_t samples;
  std::size_t points;
};

struct AlignKernels {
  /// products += lower triangle of W^T W, with W the block (length, columns), whitened. `columns` is padded, missing
  /// samples hold zeros; `whitened` is workspace of the block's size.
  void (*add_whitened_products)(const WhiteningFilter& filter, const double* block, std::size_t columns,
                                double* whitened, double* products) noexcept;
  /// A = L L^T, in place of A.
  void (*factor)(const SystemPack& systems) noexcept;
  /// Of factored systems: log det A (kPackSize), L^{-1} b in place of b, and A^{-1} in place of L.
  void (*log_determinants)(const SystemPack& systems, double* logs) noexcept;
  void (*solve_lower)(const SystemPack& systems) noexcept;
  void (*invert)(const SystemPack& systems) noexcept;
  /// The matrix as it is, A or its inverse, times b: (size, kPackSize).
  void (*multiply)(const SystemPack& systems, double* products) noexcept;
  /// best[place] = min(best[place], before[place] + the piece's cost there).
  void (*try_piece)(const PathPiece& piece, const float* before, std::size_t count, float* best) noexcept;
};

/// The best kernels this machine can run (diffeo::instruction_set()).
[[nodiscard]] const AlignKernels& align_kernels() noexcept;

}  // namespace diffeo::kernels
