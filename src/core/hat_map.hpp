// The map H from vertex velocities to affine coefficients, and its factorisation H = Q R.
//
//   a_c = (v_{c+1} - v_c) / h,   b_c = v_c - a_c x_c          column j of H is the hat function of vertex j
//
// H has a column for every free vertex: all of them, or the interior ones when the field vanishes at the
// ends. Every null-space basis of the constraints is B = H W with a square, regular W. Two rows of H (one
// cell) touch two columns, so R is upper bidiagonal and Q is a chain of plane rotations, three a cell:
// O(cells) to make, and backward stable. The Cholesky factor of the tridiagonal H^T H is the same R, but
// would square the condition number (10^3 at 512 cells).
//
// R has a positive diagonal, which makes it and Q unique.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "diffeo/tessellation.hpp"

namespace diffeo {

/// The rotations that fold the two rows of one cell into what is carried from the cells before it.
struct CellRotations {
  // 1: turns the rows (a, b) so that only the first meets the cell's left vertex:
  //    first = slope_weight a + offset_weight b, second = offset_weight a - slope_weight b.
  double slope_weight = 0.0;
  double offset_weight = 0.0;
  // 2: joins the carried row with `first`; the result is a finished row of R.
  double carry_cosine = 0.0;
  double carry_sine = 0.0;
  // 3: joins what is left of 2 with `second`; the result is carried on.
  double remainder_cosine = 0.0;
  double remainder_sine = 0.0;
};

struct HatFactorization {
  bool zero_boundary = false;
  std::vector<double> diagonal;  // R(i, i)
  std::vector<double> upper;     // R(i, i + 1)
  std::vector<CellRotations> rotations;

  [[nodiscard]] std::size_t dimension() const noexcept { return diagonal.size(); }
};

/// Needs two cells or more when the field vanishes at the ends.
[[nodiscard]] HatFactorization factorize_hat_map(const Tessellation& tessellation, bool zero_boundary);

/// vector <- R vector, R^T vector, R^{-1} vector.
void multiply_upper(const HatFactorization& hat, std::span<double> vector) noexcept;
void multiply_upper_transposed(const HatFactorization& hat, std::span<double> vector) noexcept;
void solve_upper(const HatFactorization& hat, std::span<double> vector) noexcept;

}  // namespace diffeo
