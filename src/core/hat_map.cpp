#include "core/hat_map.hpp"

#include <cmath>

namespace diffeo {
namespace {

/// Rotation 1 for an inner vertex at `right`, with the entries of the rotated rows:
/// first = (first_left, first_right), second = (0, second_right) in the columns of the cell's two vertices.
struct RotatedCell {
  double first_left, first_right, second_right;
};

RotatedCell rotate_cell(double left, double right, double spacing, CellRotations& rotations) {
  const double norm = std::hypot(1.0, right);
  rotations.slope_weight = -1.0 / norm;
  rotations.offset_weight = right / norm;
  return {norm / spacing, (rotations.slope_weight - rotations.offset_weight * left) / spacing, 1.0 / norm};
}

/// The first cell of a field that vanishes at its left end has one column only: the row carried into the next
/// cell.
double start_at_zero(double left, double spacing, CellRotations& rotations) {
  const double norm = std::hypot(1.0, left);
  rotations.slope_weight = 1.0 / norm;
  rotations.offset_weight = -left / norm;
  return norm / spacing;
}

}  // namespace

HatFactorization factorize_hat_map(const Tessellation& tessellation, bool zero_boundary) {
  const std::size_t cells = tessellation.cells();
  const double spacing = tessellation.spacing();
  HatFactorization hat{zero_boundary, {}, {}, std::vector<CellRotations>(cells)};
  double carried = 0.0;
  for (std::size_t cell = 0; cell < cells; ++cell) {
    CellRotations& rotations = hat.rotations[cell];
    if (zero_boundary && cell == 0) {
      carried = start_at_zero(tessellation.lower(), spacing, rotations);
      continue;
    }
    const RotatedCell rows = rotate_cell(tessellation.vertex(cell), tessellation.vertex(cell + 1), spacing, rotations);
    const double pivot = std::hypot(carried, rows.first_left);
    rotations.carry_cosine = carried / pivot;
    rotations.carry_sine = rows.first_left / pivot;
    hat.diagonal.push_back(pivot);
    if (zero_boundary && cell + 1 == cells) break;
    hat.upper.push_back(rotations.carry_sine * rows.first_right);
    const double remainder = rotations.carry_cosine * rows.first_right;
    carried = std::hypot(remainder, rows.second_right);
    rotations.remainder_cosine = remainder / carried;
    rotations.remainder_sine = rows.second_right / carried;
  }
  if (!zero_boundary) hat.diagonal.push_back(carried);
  return hat;
}

void multiply_upper(const HatFactorization& hat, std::span<double> vector) noexcept {
  for (std::size_t i = 0; i < hat.dimension(); ++i) {
    vector[i] *= hat.diagonal[i];
    if (i + 1 < hat.dimension()) vector[i] += hat.upper[i] * vector[i + 1];
  }
}

void multiply_upper_transposed(const HatFactorization& hat, std::span<double> vector) noexcept {
  for (std::size_t i = hat.dimension(); i-- > 0;) {
    vector[i] *= hat.diagonal[i];
    if (i > 0) vector[i] += hat.upper[i - 1] * vector[i - 1];
  }
}

void solve_upper(const HatFactorization& hat, std::span<double> vector) noexcept {
  for (std::size_t i = hat.dimension(); i-- > 0;) {
    if (i + 1 < hat.dimension()) vector[i] -= hat.upper[i] * vector[i + 1];
    vector[i] /= hat.diagonal[i];
  }
}

}  // namespace diffeo
