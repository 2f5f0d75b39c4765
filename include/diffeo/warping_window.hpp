// How far a warping path may stray from the diagonal: the Sakoe-Chiba window.
//
// For series of n and m samples a path may visit the cells (i, j) with
//
//     -radius - max(0, n - m)  <=  j - i  <=  radius + max(0, m - n)
//
// so that the first and the last cell are always inside and a path exists for every radius; radius 0 and equal lengths
// leave the diagonal alone. The radius is given
//
//   radius      in samples, or
//   fraction    as a part of the shorter length: radius = floor(fraction * min(n, m)), 0 <= fraction <= 1
//
// or not at all: no window. The same window elsewhere, for one radius r:
//
//   tslearn        sakoe_chiba_radius = r, for all lengths
//   dtaidistance   window = r + 1, for all lengths
//   aeon           window = fraction, for equal lengths; for others its band follows the slanted diagonal instead
#pragma once

#include <cstddef>
#include <optional>

namespace diffeo {

struct WarpingWindow {
  std::optional<std::size_t> radius = std::nullopt;
  std::optional<double> fraction = std::nullopt;
};

/// The radius in samples for series of those lengths; no less than both lengths where there is no window.
/// std::invalid_argument when both are given, or the fraction lies outside [0, 1].
[[nodiscard]] std::size_t radius_of(const WarpingWindow& window, std::size_t first_length, std::size_t second_length);

}  // namespace diffeo
