// The partition of an interval into equal cells, on which velocity fields are piecewise affine.
//
//   lower = x_0 < x_1 < ... < x_N = upper,   x_j = lower + j (upper - lower) / N           (docs/math.md, 1)
//
// A tessellation is a value: three numbers, no storage per cell. Vertices are correctly rounded if the domain is
// [0, w], and x_N is exactly `upper`.
//
//   * cells from 1 to kMaximumCells, any finite domain with lower < upper and a finite width; otherwise
//     std::invalid_argument
#pragma once

#include <cstddef>

namespace diffeo {

class Tessellation {
 public:
  static constexpr std::size_t kMaximumCells = 65536;

  explicit Tessellation(std::size_t cells, double lower = 0.0, double upper = 1.0);

  [[nodiscard]] constexpr std::size_t cells() const noexcept { return cells_; }
  [[nodiscard]] constexpr std::size_t vertices() const noexcept { return cells_ + 1; }
  [[nodiscard]] constexpr double lower() const noexcept { return lower_; }
  [[nodiscard]] constexpr double upper() const noexcept { return upper_; }
  [[nodiscard]] constexpr double width() const noexcept { return upper_ - lower_; }
  [[nodiscard]] constexpr double spacing() const noexcept { return width() / static_cast<double>(cells_); }

  /// Position of vertex `index`, 0 <= index <= cells().
  [[nodiscard]] constexpr double vertex(std::size_t index) const noexcept {
    if (index == cells_) return upper_;
    return lower_ + offset(index);
  }
  /// Distance of vertex `index` from `lower`.
  [[nodiscard]] constexpr double offset(std::size_t index) const noexcept {
    return width() * static_cast<double>(index) / static_cast<double>(cells_);
  }

  friend bool operator==(const Tessellation&, const Tessellation&) = default;

 private:
  std::size_t cells_;
  double lower_;
  double upper_;
};

}  // namespace diffeo
