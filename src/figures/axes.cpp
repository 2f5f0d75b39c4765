#include "figures/axes.hpp"

#include <algorithm>

#include "figures/colours.hpp"
#include "figures/figure_text.hpp"

namespace diffeo::figures {
namespace {

constexpr double kPixelsPerTick = 56.0;
constexpr double kToAxisName = 42.0;  // from the axis, unless its numbers are long
constexpr double kPixelsPerRowTick = 46.0;
constexpr double kLegendLine = 18.0;
constexpr double kLegendAir = 16.0;
constexpr double kSwatch = 14.0;

std::size_t tick_count(double extent, double pixels) {
  return std::max<std::size_t>(2, static_cast<std::size_t>(extent / pixels));
}

double entry_width(const LegendEntry& entry) { return kSwatch + text_width(entry.name, kTextSize) + kLegendAir; }

/// Calls `place` with every entry and its top left corner, relative to the legend's; gives the height.
template <class Place>
double lay_out(std::span<const LegendEntry> entries, double width, const Place& place) {
  Point at;
  for (const LegendEntry& entry : entries) {
    if (at.x > 0.0 && at.x + entry_width(entry) > width) at = {0.0, at.y + kLegendLine};
    place(entry, at);
    at.x += entry_width(entry);
  }
  return entries.empty() ? 0.0 : at.y + kLegendLine;
}

}  // namespace

PlotFrame linear_frame(const Box& box, Range horizontal, Range vertical) {
  return {box, linear_scale(horizontal, {box.left, box.right}), linear_scale(vertical, {box.bottom, box.top})};
}

void draw_horizontal_axis(Drawing& drawing, const Scale& scale, const Box& box, std::string_view name) {
  for (const double tick : scale.ticks(tick_count(box.width(), kPixelsPerTick))) {
    const double x = scale.at(tick);
    drawing.line({x, box.top}, {x, box.bottom}, kRule);
    drawing.text({x, box.bottom + 16.0}, tick_text(tick), {.anchor = Anchor::middle});
  }
  drawing.line({box.left, box.bottom}, {box.right, box.bottom}, kQuiet);
  const Point middle{0.5 * (box.left + box.right), box.bottom + 33.0};
  drawing.text(middle, name, {.anchor = Anchor::middle, .colour = kInk});
}

void draw_axes(Drawing& drawing, const PlotFrame& frame, const AxisNames& names) {
  const Box& box = frame.box;
  double to_name = kToAxisName;
  for (const double tick : frame.vertical.ticks(tick_count(box.height(), kPixelsPerRowTick))) {
    const double y = frame.vertical.at(tick);
    const std::string number = tick_text(tick);
    drawing.line({box.left, y}, {box.right, y}, kRule);
    drawing.text({box.left - 6.0, y + 4.0}, number, {.anchor = Anchor::end});
    to_name = std::max(to_name, text_width(number, kTextSize) + 14.0);
  }
  draw_horizontal_axis(drawing, frame.horizontal, box, names.horizontal);
  drawing.line({box.left, box.top}, {box.left, box.bottom}, kQuiet);
  const Point beside{box.left - to_name, 0.5 * (box.top + box.bottom)};
  drawing.text(beside, names.vertical, {.anchor = Anchor::middle, .colour = kInk, .turned = -90.0});
}

double legend_height(std::span<const LegendEntry> entries, double width) {
  return lay_out(entries, width, [](const LegendEntry&, Point) {});
}

void draw_legend(Drawing& drawing, Point at, double width, std::span<const LegendEntry> entries) {
  lay_out(entries, width, [&](const LegendEntry& entry, Point corner) {
    const Point start{at.x + corner.x, at.y + corner.y};
    drawing.circle({start.x + 5.0, start.y + 8.0}, 4.5, entry.colour);
    drawing.text({start.x + kSwatch, start.y + 12.0}, entry.name, {.colour = kInk});
  });
}

}  // namespace diffeo::figures
