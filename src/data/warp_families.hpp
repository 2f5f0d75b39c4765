// Families of random warps of [0, 1]; see diffeo/generate_warped.hpp for their formulas.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "diffeo/generate_warped.hpp"

namespace diffeo {

/// W at every point. Increasing, with W(0) = 0 and W(1) = 1.
using KnownWarp = std::function<std::vector<double>(std::span<const double> points)>;

/// One warp per case. The marks are those that the family `moves` moves. The options are in range.
[[nodiscard]] std::vector<KnownWarp> draw_warps(std::size_t cases, std::uint64_t seed, WarpFamily family,
                                                double displacement, std::span<const double> marks);

/// W^{-1} at every value, to the last bits.
[[nodiscard]] std::vector<double> inverse_of(const KnownWarp& warp, std::span<const double> values);

}  // namespace diffeo
