// The Sakoe-Chiba window: how far a warping path may be from the diagonal.
//
// For series of n and m samples a path may visit the cells (i, j) with
//
//     -radius - max(0, n - m)  <=  j - i  <=  radius + max(0, m - n)
//
// so that the first and the last cell are always inside and a path exists for every radius. Radius 0 and equal lengths
// leave only the diagonal. The radius is given
//
//   radius      in samples, or
//   fraction    as a part of the shorter length: radius = floor(fraction * min(n, m)), 0 <= fraction <= 1
//
// or not at all: no window. Equivalent settings elsewhere, for one radius r:
//
//   tslearn        sakoe_chiba_radius = r, for all lengths
//   dtaidistance   window = r + 1, for all lengths
//   aeon           window = fraction, for equal lengths; otherwise its band follows the slanted diagonal
#pragma once

#include <cstddef>
#include <optional>

namespace diffeo {

struct WarpingWindow {
  std::optional<std::size_t> radius = std::nullopt;
  std::optional<double> fraction = std::nullopt;
};

/// The radius in samples for series of those lengths; at least both lengths if there is no window.
/// std::invalid_argument if both are given, or the fraction lies outside [0, 1].
[[nodiscard]] std::size_t radius_of(const WarpingWindow& window, std::size_t first_length, std::size_t second_length);

}  // namespace diffeo
