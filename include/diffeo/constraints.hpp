// The linear constraints that make a piecewise affine velocity field continuous: the paper's matrix L.
//
// In cell c the field is a_c x + b_c. Written as vec(A) = (a_1, b_1, a_2, b_2, ...), it is continuous if
//   L vec(A) = 0,   row j:  x_j a_j + b_j - x_j a_{j+1} - b_{j+1} = 0
// at every interior vertex x_j, 1 <= j < N. It vanishes at both ends of the domain if also
// x_0 a_1 + b_1 = 0 and x_N a_N + b_N = 0.
//
//   rows      the interior vertices from left to right; with zero_boundary then the lower and the upper end
//   columns   2 N, in the order of vec(A)
//
// L has full row rank, so its null space has 2 N - (N - 1) = N + 1 dimensions, or N - 1 with zero_boundary.
// The library never solves with L, because the null space is known in closed form (warp_space.hpp). L is provided for
// inspection and for checking bases. It is dense, hence the limit on cells.
#pragma once

#include <cstddef>

#include "diffeo/matrix.hpp"
#include "diffeo/tessellation.hpp"

namespace diffeo {

/// The largest number of cells for dense matrices: L then takes 256 MiB, a basis half of that.
inline constexpr std::size_t kMaximumDenseCells = 4096;

/// L of `tessellation`: (cells - 1, 2 cells), or (cells + 1, 2 cells) with zero_boundary.
/// std::invalid_argument above kMaximumDenseCells cells.
[[nodiscard]] Matrix constraint_matrix(const Tessellation& tessellation, bool zero_boundary);

}  // namespace diffeo
