#include "diffeo/figures/error_map_figure.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "diffeo/error.hpp"
#include "figures/colours.hpp"
#include "figures/drawing.hpp"
#include "figures/figure_text.hpp"
#include "figures/heat_colours.hpp"
#include "figures/scale.hpp"

namespace diffeo {
namespace {

using namespace figures;

constexpr double kMapLeft = 66.0;
constexpr double kMapTop = 30.0;
constexpr double kMapLargest = 460.0;
constexpr double kScaleGap = 18.0;
constexpr double kScaleWidth = 14.0;
constexpr double kScaleText = 46.0;
constexpr double kLeastForNumbers = 36.0;  // width of a cell that has room for its power of ten
constexpr std::size_t kScaleSteps = 40;

void check_map(const ErrorMap& map) {
  require(!map.horizontal_values.empty() && !map.vertical_values.empty(),
          "values: expected at least one of each parameter, got ", map.horizontal_values.size(), " and ",
          map.vertical_values.size());
  require(map.errors.size() == map.vertical_values.size(), "errors: expected a row for each of the ",
          map.vertical_values.size(), " vertical values, got ", map.errors.size());
  for (const std::vector<double>& row : map.errors) {
    require(row.size() == map.horizontal_values.size(), "errors: expected ", map.horizontal_values.size(),
            " in a row, got ", row.size());
    for (const double error : row) require(!(error < 0.0), "errors: expected none below 0, got ", error);
  }
}

Range power_range(const ErrorMap& map) {
  std::vector<double> all;
  for (const std::vector<double>& row : map.errors) all.insert(all.end(), row.begin(), row.end());
  const Range range = positive_range_of(all);
  return {std::log10(range.low), std::log10(range.high)};
}

double part_of(double error, const Range& powers) {
  if (!(error > 0.0) || !(powers.high > powers.low)) return 0.0;
  return (std::log10(error) - powers.low) / (powers.high - powers.low);
}

struct MapLayout {
  double cell_width = 0.0;
  double cell_height = 0.0;
  Box box;
};

MapLayout map_layout(const ErrorMap& map) {
  const double columns = static_cast<double>(map.horizontal_values.size());
  const double rows = static_cast<double>(map.vertical_values.size());
  MapLayout layout;
  layout.cell_width = std::min(56.0, kMapLargest / columns);
  layout.cell_height = std::min(34.0, kMapLargest / rows);
  layout.box = {kMapLeft, kMapTop, kMapLeft + layout.cell_width * columns, kMapTop + layout.cell_height * rows};
  return layout;
}

Box cell_box(const MapLayout& layout, std::size_t row, std::size_t column) {
  const double left = layout.box.left + layout.cell_width * static_cast<double>(column);
  const double bottom = layout.box.bottom - layout.cell_height * static_cast<double>(row);
  return {left, bottom - layout.cell_height, left + layout.cell_width, bottom};
}

void draw_cell(Drawing& drawing, const ErrorMap& map, const MapLayout& layout, const Range& powers, std::size_t row,
               std::size_t column) {
  const double error = map.errors[row][column];
  const Box box = cell_box(layout, row, column);
  const std::string title = map.horizontal + " " + shown_number(map.horizontal_values[column], 4) + ", " +
                            map.vertical + " " + shown_number(map.vertical_values[row], 4) + ": error " +
                            shown_number(error, 3);
  if (!std::isfinite(error)) {
    drawing.rectangle(box, kBlank, {.title = title});
    return;
  }
  const Colour colour = heat_colour(part_of(error, powers));
  drawing.rectangle(box, hexadecimal(colour), {.title = title});
  if (layout.cell_width < kLeastForNumbers || layout.cell_height < kTextSize + 4.0) return;
  const std::string words = error > 0.0 ? fixed_number(std::log10(error), 1) : "0";
  drawing.text({0.5 * (box.left + box.right), 0.5 * (box.top + box.bottom) + 4.0}, words,
               {.anchor = Anchor::middle, .colour = readable_on(colour), .size = kSmallText});
}

/// Every so many values, so that their numbers do not touch.
std::size_t label_stride(double cell, double label) {
  return static_cast<std::size_t>(std::max(1.0, std::ceil(label / cell)));
}

void draw_map_axes(Drawing& drawing, const ErrorMap& map, const MapLayout& layout) {
  const Box& box = layout.box;
  for (std::size_t column = 0; column < map.horizontal_values.size(); column += label_stride(layout.cell_width, 40.0)) {
    const Box cell = cell_box(layout, 0, column);
    drawing.text({0.5 * (cell.left + cell.right), box.bottom + 16.0}, tick_text(map.horizontal_values[column]),
                 {.anchor = Anchor::middle});
  }
  for (std::size_t row = 0; row < map.vertical_values.size(); row += label_stride(layout.cell_height, 16.0)) {
    const Box cell = cell_box(layout, row, 0);
    drawing.text({box.left - 6.0, 0.5 * (cell.top + cell.bottom) + 4.0}, tick_text(map.vertical_values[row]),
                 {.anchor = Anchor::end});
  }
  drawing.text({0.5 * (box.left + box.right), box.bottom + 33.0}, map.horizontal,
               {.anchor = Anchor::middle, .colour = kInk});
  drawing.text({14.0, 0.5 * (box.top + box.bottom)}, map.vertical,
               {.anchor = Anchor::middle, .colour = kInk, .turned = -90.0});
}

void draw_colour_scale(Drawing& drawing, const MapLayout& layout, const Range& powers) {
  const double left = layout.box.right + kScaleGap;
  const double step = layout.box.height() / static_cast<double>(kScaleSteps);
  for (std::size_t part = 0; part < kScaleSteps; ++part) {
    const double bottom = layout.box.bottom - step * static_cast<double>(part);
    const double place = (static_cast<double>(part) + 0.5) / static_cast<double>(kScaleSteps);
    drawing.rectangle({left, bottom - step - 0.2, left + kScaleWidth, bottom}, hexadecimal(heat_colour(place)));
  }
  const Scale scale = linear_scale(powers, {layout.box.bottom, layout.box.top});
  for (const double tick : scale.ticks(5)) {
    drawing.text({left + kScaleWidth + 5.0, scale.at(tick) + 4.0}, shown_number(tick));
  }
  drawing.text({left + kScaleWidth + kScaleText, layout.box.top - 12.0}, "log₁₀ error",
               {.anchor = Anchor::end, .size = kSmallText});
}

}  // namespace

std::string error_map_figure(const ErrorMap& map) {
  check_map(map);
  const MapLayout layout = map_layout(map);
  const Range powers = power_range(map);
  const double right = layout.box.right + kScaleGap + kScaleWidth + kScaleText;
  Drawing drawing(std::max(right, 240.0), layout.box.bottom + 44.0, map.title,
                  message("Errors from 10^", shown_number(powers.low), " to 10^", shown_number(powers.high), " over ",
                          map.horizontal, " and ", map.vertical, "."));
  drawing.text({8.0, 16.0}, fitted_text(map.title, kTextSize, layout.box.right - 30.0), {.colour = kInk, .bold = true});
  for (std::size_t row = 0; row < map.errors.size(); ++row) {
    for (std::size_t column = 0; column < map.errors[row].size(); ++column) {
      draw_cell(drawing, map, layout, powers, row, column);
    }
  }
  draw_map_axes(drawing, map, layout);
  draw_colour_scale(drawing, layout, powers);
  return drawing.finished();
}

}  // namespace diffeo
