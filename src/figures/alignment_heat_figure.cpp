#include "diffeo/figures/alignment_heat_figure.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "diffeo/error.hpp"
#include "figures/class_groups.hpp"
#include "figures/colours.hpp"
#include "figures/drawing.hpp"
#include "figures/figure_text.hpp"
#include "figures/picture.hpp"
#include "figures/scale.hpp"

namespace diffeo {
namespace {

using namespace figures;

constexpr std::size_t kMostHeatRows = 60;
constexpr std::size_t kMostHeatColumns = 120;
constexpr std::size_t kHeatLevels = 255;  // and one number for what is missing
constexpr double kHeatPanel = 290.0;
constexpr double kHeatLeft = 74.0;
constexpr double kHeatGap = 16.0;
constexpr double kHeatTop = 24.0;

using HeatRows = std::vector<std::vector<double>>;

void check_heat(const AlignmentHeat& heat) {
  require(!heat.before.empty(), "before: expected at least one series, got none");
  require(heat.after.size() == heat.before.size() && heat.classes.size() == heat.before.size(),
          "after and classes: expected one for each of the ", heat.before.size(), " series, got ", heat.after.size(),
          " and ", heat.classes.size());
  for (const HeatRows* rows : {&heat.before, &heat.after}) {
    for (const std::vector<double>& row : *rows) {
      require(!row.empty() && row.size() == rows->front().size(), "series: expected ", rows->front().size(),
              " values as the first has (at least one), got ", row.size());
    }
  }
}

/// The series that are drawn, class after class.
std::vector<LabelledGroup> drawn_rows(const AlignmentHeat& heat) {
  std::vector<LabelledGroup> groups = grouped_items(heat.classes);
  const std::size_t all = heat.before.size();
  const std::size_t drawn = std::min(all, kMostHeatRows);
  std::size_t place = 0;
  for (LabelledGroup& group : groups) {
    std::erase_if(group.items, [&](std::size_t) {
      const std::size_t at = place++;
      return (at * drawn) / all == ((at + 1) * drawn) / all;
    });
  }
  std::erase_if(groups, [](const LabelledGroup& group) { return group.items.empty(); });
  return groups;
}

/// Means of neighbours, of those that are there.
std::vector<double> narrowed(const std::vector<double>& row) {
  const std::size_t columns = std::min(row.size(), kMostHeatColumns);
  std::vector<double> narrow(columns, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t column = 0; column < columns; ++column) {
    double sum = 0.0;
    std::size_t count = 0;
    for (std::size_t at = column * row.size() / columns; at < (column + 1) * row.size() / columns; ++at) {
      if (!std::isfinite(row[at])) continue;
      sum += row[at];
      ++count;
    }
    if (count > 0) narrow[column] = sum / static_cast<double>(count);
  }
  return narrow;
}

HeatRows chosen(const HeatRows& rows, const std::vector<LabelledGroup>& groups) {
  HeatRows result;
  for (const LabelledGroup& group : groups) {
    for (const std::size_t item : group.items) result.push_back(narrowed(rows[item]));
  }
  return result;
}

Range heat_range(const HeatRows& before, const HeatRows& after) {
  std::vector<double> all;
  for (const HeatRows* rows : {&before, &after}) {
    for (const std::vector<double>& row : *rows) all.insert(all.end(), row.begin(), row.end());
  }
  return range_of(all);
}

std::vector<Colour> heat_palette() {
  std::vector<Colour> palette = {Colour{0, 0, 0}};
  for (std::size_t level = 0; level < kHeatLevels; ++level) {
    palette.push_back(heat_colour(static_cast<double>(level) / static_cast<double>(kHeatLevels - 1)));
  }
  return palette;
}

std::string heat_picture(const HeatRows& rows, Range range) {
  const double extent = range.high > range.low ? range.high - range.low : 1.0;
  std::vector<std::uint8_t> points;
  for (const std::vector<double>& row : rows) {
    for (const double value : row) {
      const double part = (value - range.low) / extent;
      const double level = std::round(part * static_cast<double>(kHeatLevels - 1));
      points.push_back(std::isfinite(value) ? static_cast<std::uint8_t>(level + 1.0) : std::uint8_t{0});
    }
  }
  return data_address(png_of(points, rows.front().size(), rows.size(), heat_palette(), true));
}

void draw_heat_panel(Drawing& drawing, const Box& box, const HeatRows& rows, Range range, std::string_view name) {
  drawing.text({box.left, box.top - 8.0}, name, {.colour = kInk, .bold = true});
  drawing.rectangle(box, kBlank);
  drawing.picture(box, heat_picture(rows, range));
  drawing.text({0.5 * (box.left + box.right), box.bottom + 16.0}, "time", {.anchor = Anchor::middle});
}

/// Names at the left, and a line through both panels where a class ends.
void draw_heat_classes(Drawing& drawing, const std::vector<LabelledGroup>& groups, const Box& both, double row) {
  double top = both.top;
  double free_from = both.top;  // names may not lie on each other
  for (const LabelledGroup& group : groups) {
    const double height = row * static_cast<double>(group.items.size());
    const double middle = top + 0.5 * height + 4.0;
    if (middle - kSmallText >= free_from) {
      drawing.text({both.left - 6.0, middle}, fitted_text(group.name, kSmallText, kHeatLeft - 10.0),
                   {.anchor = Anchor::end, .size = kSmallText});
      free_from = middle;
    }
    if (top > both.top)
      drawing.line({both.left, top}, {both.right, top}, "#ffffff", {.width = std::min(1.5, 0.2 * row)});
    top += height;
  }
}

}  // namespace

std::string alignment_heat_figure(const AlignmentHeat& heat) {
  check_heat(heat);
  const std::vector<LabelledGroup> groups = drawn_rows(heat);
  const HeatRows before = chosen(heat.before, groups);
  const HeatRows after = chosen(heat.after, groups);
  const Range range = heat_range(before, after);
  const double row = std::clamp(180.0 / static_cast<double>(before.size()), 4.0, 18.0);
  const double bottom = kHeatTop + row * static_cast<double>(before.size());
  const double middle = kHeatLeft + kHeatPanel + kHeatGap;
  const double right = middle + kHeatPanel;
  Drawing drawing(right + 8.0, bottom + 24.0, heat.dataset + ": series before and after alignment",
                  message(before.size(), " of ", heat.before.size(), " series of ", groups.size(),
                          " classes, a row each. Colour is value, from ", shown_number(range.low), " (dark) to ",
                          shown_number(range.high), " (light)."));
  draw_heat_panel(drawing, {kHeatLeft, kHeatTop, kHeatLeft + kHeatPanel, bottom}, before, range, "before");
  draw_heat_panel(drawing, {middle, kHeatTop, right, bottom}, after, range, "after");
  draw_heat_classes(drawing, groups, {kHeatLeft, kHeatTop, right, bottom}, row);
  return drawing.finished();
}

}  // namespace diffeo
