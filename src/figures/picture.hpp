// A picture of numbers inside a figure: a PNG with a palette, as a data address.
//
// One byte a point, the number of its colour; not compressed (the blocks of deflate are "stored"), because pictures
// here are small and the layer depends on nothing.
//
//   * `points` are rows one after the other, width x height of them; numbers below the size of the palette
//   * number 0 is transparent where `first_is_clear`
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "figures/heat_colours.hpp"

namespace diffeo::figures {

/// The bytes of a PNG file.
[[nodiscard]] std::string png_of(std::span<const std::uint8_t> points, std::size_t width, std::size_t height,
                                 std::span<const Colour> palette, bool first_is_clear);
/// data:image/png;base64,...
[[nodiscard]] std::string data_address(const std::string& png);

}  // namespace diffeo::figures
