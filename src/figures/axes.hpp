// What plots have in common: a box with two scales, ticks and names at its edges, and a legend.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "figures/drawing.hpp"
#include "figures/scale.hpp"

namespace diffeo::figures {

struct PlotFrame {
  Box box;
  Scale horizontal;
  Scale vertical;

  [[nodiscard]] Point at(double x, double y) const { return {horizontal.at(x), vertical.at(y)}; }
};

/// Both scales fill the box; vertical values grow upwards.
[[nodiscard]] PlotFrame linear_frame(const Box& box, Range horizontal, Range vertical);

struct AxisNames {
  std::string_view horizontal;
  std::string_view vertical;
};

/// Lines at the ticks, their numbers, and what is measured. About 42 units left of the box and 36 below are used.
void draw_axes(Drawing& drawing, const PlotFrame& frame, const AxisNames& names);
/// The same of the horizontal axis alone, for plots that have rows.
void draw_horizontal_axis(Drawing& drawing, const Scale& scale, const Box& box, std::string_view name);

struct LegendEntry {
  std::string name;
  std::string_view colour;
};

/// In lines that are at most so wide; `draw_legend` starts at `at`, the top left corner.
[[nodiscard]] double legend_height(std::span<const LegendEntry> entries, double width);
void draw_legend(Drawing& drawing, Point at, double width, std::span<const LegendEntry> entries);

}  // namespace diffeo::figures
