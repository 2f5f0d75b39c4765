// The colours of figures: those of the page a figure stands in (src/report/page/theme.css, light, dark and paper), or
// the light ones where it stands alone.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace diffeo::figures {

inline constexpr std::string_view kInk = "var(--ink, #1c2733)";
inline constexpr std::string_view kQuiet = "var(--quiet, #5c6875)";
inline constexpr std::string_view kRule = "var(--rule, #dfe3e6)";
inline constexpr std::string_view kBlank = "var(--blank, #eceef0)";
inline constexpr std::string_view kGround = "var(--figure-ground, #ffffff)";  ///< a page makes it transparent
inline constexpr std::string_view kBetter = "var(--class-0, #0072b2)";
inline constexpr std::string_view kWorse = "var(--class-1, #d55e00)";

/// Of classes and lines: told apart by colour-blind people as far as there are seven.
inline constexpr std::array<std::string_view, 7> kSeriesColours = {
    "var(--class-0, #0072b2)", "var(--class-1, #d55e00)", "var(--class-2, #009e73)", "var(--class-3, #9c2455)",
    "var(--class-4, #5c3a12)", "var(--class-5, #8a7bfa)", "var(--class-6, #7d8288)"};

[[nodiscard]] constexpr std::string_view series_colour(std::size_t number) {
  return kSeriesColours[number % kSeriesColours.size()];
}

}  // namespace diffeo::figures
