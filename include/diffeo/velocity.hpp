// The value of a continuous, piecewise affine velocity field at given points.
//
//   v(x) = (v_c (x_{c+1} - x) + v_{c+1} (x - x_c)) / h,   x_c <= x <= x_{c+1}              (docs/math.md, 1)
//
// and the affine function of the first or last cell beyond the domain.
//
//   velocities   one row per field: (batch, cells + 1)
//   points       (batch, n), or one row shared by the batch; any order, any finite value
//   values       (batch, n)
//
//   * exactly the vertex velocity at a vertex (rounded to Real), and exactly the constant of a constant field;
//     elsewhere within a few units in the last place of max(|v_c|, |v_{c+1}|)
//   * infinite if the true value overflows, never NaN
//   * O(1) per point; bit-identical for any number of threads; threads = 0 means all available cores
//   * std::invalid_argument for mismatched shapes and non-finite values
#pragma once

#include <cstddef>

#include "diffeo/flow.hpp"
#include "diffeo/rows.hpp"

namespace diffeo {

/// values(i, j) = v_i(points(i, j)).
template <class Real>
void velocity(Rows<const Real> velocities, Rows<const Real> points, Domain domain, Rows<Real> values,
              std::size_t threads = 0);

}  // namespace diffeo
