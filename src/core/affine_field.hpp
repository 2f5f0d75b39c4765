// One continuous, piecewise affine velocity field, evaluated point by point in double.
//
// In cell c, v(x) = v_c + s_c (x - x_c) with s_c = (v_{c+1} - v_c) / h; the first and the last cell extend
// beyond the domain (docs/math.md, 1). A vertex belongs to the cell on its right. The value is based at the
// nearer vertex: at a vertex it is the vertex velocity to the last bit, and a constant field is constant to
// the last bit.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "diffeo/tessellation.hpp"

namespace diffeo {

/// What all the fields of a batch have in common: made once per call.
class CellTable {
 public:
  explicit CellTable(const Tessellation& tessellation)
      : spacing_(tessellation.spacing()), last_(tessellation.cells() - 1), vertices_(tessellation.vertices()) {
    for (std::size_t j = 0; j < vertices_.size(); ++j) vertices_[j] = tessellation.vertex(j);
  }

  [[nodiscard]] double spacing() const noexcept { return spacing_; }
  [[nodiscard]] double vertex(std::size_t index) const noexcept { return vertices_[index]; }
  [[nodiscard]] std::size_t vertices() const noexcept { return vertices_.size(); }

  /// The cell of any x at all; the walk only corrects the rounding of the guess.
  [[nodiscard]] std::size_t cell(double x) const noexcept {
    std::size_t c = guess((x - vertices_[0]) / spacing_);
    while (c < last_ && x >= vertices_[c + 1]) ++c;
    while (c > 0 && x < vertices_[c]) --c;
    return c;
  }

 private:
  [[nodiscard]] std::size_t guess(double cells_from_lower) const noexcept {
    if (!(cells_from_lower > 0)) return 0;
    return cells_from_lower < static_cast<double>(last_) ? static_cast<std::size_t>(cells_from_lower) : last_;
  }

  double spacing_;
  std::size_t last_;
  std::vector<double> vertices_;
};

/// The field at a point, and what its derivatives need: v = (1 - fraction) v_cell + fraction v_{cell+1}.
struct FieldValue {
  std::size_t cell;
  double velocity;
  double slope;
  double fraction;
};

template <class Real>
struct AffineField {
  const CellTable& table;
  const Real* velocities;

  [[nodiscard]] FieldValue at(double x) const noexcept { return in_cell(table.cell(x), x); }

  [[nodiscard]] FieldValue in_cell(std::size_t cell, double x) const noexcept {
    const double left_velocity = static_cast<double>(velocities[cell]);
    const double right_velocity = static_cast<double>(velocities[cell + 1]);
    const double from_left = x - table.vertex(cell);
    const double to_right = table.vertex(cell + 1) - x;
    const double slope = (right_velocity - left_velocity) / table.spacing();
    const double fraction = from_left / table.spacing();
    double velocity = left_velocity;
    if (std::isinf(slope) && from_left >= 0 && to_right >= 0) {  // only the slope overflows, not the value
      velocity = left_velocity * (1 - fraction) + right_velocity * fraction;
    } else if (slope != 0) {  // a slope of zero times an infinite distance would be NaN
      velocity = from_left <= to_right ? left_velocity + slope * from_left : right_velocity - slope * to_right;
    }
    return {cell, velocity, slope, fraction};
  }
};

}  // namespace diffeo
