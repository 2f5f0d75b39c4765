// The vertices in the precision of the points, of a domain whose ends have that precision too.
//
// Far from 0 they are counted from the lower end, where neighboring vertices would round to the same number
// (docs/math.md, 1.4).
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "core/kernels/field_table.hpp"
#include "core/kernels/kernel_set.hpp"
#include "core/rounding.hpp"
#include "diffeo/tessellation.hpp"

namespace diffeo {

/// Where vertices are: a value, so that a GPU can make its own.
template <class Real>
class VertexRule {
 public:
  explicit VertexRule(const Tessellation& exact)
      : tessellation_(exact.cells(), rounded_to<Real>(exact.lower()), rounded_to<Real>(exact.upper())),
        far_(tessellation_.lower() > tessellation_.width() || tessellation_.upper() < -tessellation_.width()) {}

  [[nodiscard]] DIFFEO_HOST_DEVICE double origin() const noexcept { return far_ ? tessellation_.lower() : 0.0; }
  /// Relative to the origin.
  [[nodiscard]] DIFFEO_HOST_DEVICE double vertex(std::size_t j) const noexcept {
    if (j == tessellation_.cells()) return rounded_to<Real>(tessellation_.upper() - origin());
    return rounded_to<Real>(far_ ? tessellation_.offset(j) : tessellation_.vertex(j));
  }
  /// The grid whose vertices stand, or will stand, there.
  [[nodiscard]] kernels::Grid grid(const double* vertices) const noexcept {
    const Real last = static_cast<Real>(vertex(tessellation_.cells()));
    const Real beyond = std::nextafter(last, std::numeric_limits<Real>::infinity());
    const double width = tessellation_.spacing();
    return {tessellation_.cells(), origin(), vertices, width, 1.0 / width, static_cast<double>(beyond)};
  }

 private:
  Tessellation tessellation_;
  bool far_;
};

template <class Real>
class VertexGrid {
 public:
  explicit VertexGrid(const Tessellation& exact) : rule_(exact), vertices_(exact.vertices() + kernels::kPadding) {
    for (std::size_t j = 0; j < exact.vertices(); ++j) vertices_[j] = rule_.vertex(j);
  }
  [[nodiscard]] kernels::Grid view() const noexcept { return rule_.grid(vertices_.data()); }

 private:
  VertexRule<Real> rule_;
  std::vector<double> vertices_;
};

}  // namespace diffeo
