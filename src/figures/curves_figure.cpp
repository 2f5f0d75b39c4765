#include "diffeo/figures/curves_figure.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include "diffeo/error.hpp"
#include "figures/axes.hpp"
#include "figures/colours.hpp"
#include "figures/figure_text.hpp"

namespace diffeo {
namespace {

using namespace figures;

constexpr double kCurvesWidth = 440.0;
constexpr double kCurvesPlot = 230.0;
constexpr double kCurvesLeft = 72.0;
constexpr std::size_t kMostMeasuredTicks = 10;
constexpr double kLeastTickDistance = 26.0;  // numbers do not touch

void check_curves(const CurvesPlot& plot) {
  require(!plot.lines.empty(), "lines: expected at least one, got none");
  for (const CurveLine& line : plot.lines) {
    require(line.y.size() == line.x.size(), line.name, ": expected as many values of y as of x, ", line.x.size(),
            ", got ", line.y.size());
    require(line.low.size() == line.high.size() && (line.low.empty() || line.low.size() == line.x.size()), line.name,
            ": expected a band of ", line.x.size(), " values or none, got ", line.low.size(), " and ",
            line.high.size());
  }
}

bool can_be_drawn(double value, bool is_logarithmic) {
  return std::isfinite(value) && (!is_logarithmic || value > 0.0);
}

Scale curve_scale(std::span<const double> values, bool is_logarithmic, Range places, double air) {
  return is_logarithmic ? logarithmic_scale(padded_by_factor(positive_range_of(values), air), places)
                        : linear_scale(padded(range_of(values), air), places);
}

/// Where a logarithmic axis has few values they are its ticks: 4, 8, 16 tell more than 5, 10, 20.
void set_measured_ticks(Scale& scale, std::vector<double> values) {
  std::erase_if(values, [](double value) { return !can_be_drawn(value, true); });
  std::ranges::sort(values);
  values.erase(std::ranges::unique(values).begin(), values.end());
  if (values.size() < 2 || values.size() > kMostMeasuredTicks) return;
  for (std::size_t next = 1; next < values.size(); ++next) {
    if (scale.at(values[next]) - scale.at(values[next - 1]) < kLeastTickDistance) return;
  }
  scale.set_ticks(std::move(values));
}

PlotFrame curves_frame(const CurvesPlot& plot, double top) {
  const Box box{kCurvesLeft, top, kCurvesWidth - 14.0, top + kCurvesPlot};
  std::vector<double> across;
  std::vector<double> upward;
  for (const CurveLine& line : plot.lines) {
    across.insert(across.end(), line.x.begin(), line.x.end());
    for (const auto* values : {&line.y, &line.low, &line.high}) {
      upward.insert(upward.end(), values->begin(), values->end());
    }
  }
  PlotFrame frame{box, curve_scale(across, plot.is_horizontal_logarithmic, {box.left, box.right}, 0.03),
                  curve_scale(upward, plot.is_vertical_logarithmic, {box.bottom, box.top}, 0.06)};
  if (plot.is_horizontal_logarithmic) set_measured_ticks(frame.horizontal, across);
  return frame;
}

/// Calls `draw` with the beginning and end of every run of places where all values can be drawn.
template <class Draw>
void for_each_run(const CurvesPlot& plot, const CurveLine& line, std::span<const std::vector<double>* const> values,
                  const Draw& draw) {
  std::size_t start = 0;
  for (std::size_t at = 0; at <= line.x.size(); ++at) {
    bool is_there = at < line.x.size() && can_be_drawn(line.x[at], plot.is_horizontal_logarithmic);
    for (const std::vector<double>* each : values) {
      is_there = is_there && can_be_drawn((*each)[at], plot.is_vertical_logarithmic);
    }
    if (is_there) continue;
    if (at > start) draw(start, at);
    start = at + 1;
  }
}

void draw_band(Drawing& drawing, const CurvesPlot& plot, const CurveLine& line, const PlotFrame& frame,
               std::string_view colour) {
  if (line.low.empty()) return;
  const std::vector<double>* const edges[] = {&line.low, &line.high};
  for_each_run(plot, line, edges, [&](std::size_t start, std::size_t end) {
    std::string data;
    for (std::size_t at = start; at < end; ++at) {
      append_point(data, at == start ? 'M' : 'L', frame.at(line.x[at], line.high[at]));
    }
    for (std::size_t at = end; at-- > start;) append_point(data, 'L', frame.at(line.x[at], line.low[at]));
    drawing.area(data + "Z", colour, {.opacity = 0.18});
  });
}

void draw_curve(Drawing& drawing, const CurvesPlot& plot, const CurveLine& line, const PlotFrame& frame,
                std::string_view colour) {
  const std::vector<double>* const heights[] = {&line.y};
  for_each_run(plot, line, heights, [&](std::size_t start, std::size_t end) {
    std::string data;
    for (std::size_t at = start; at < end; ++at) {
      append_point(data, at == start ? 'M' : 'L', frame.at(line.x[at], line.y[at]));
    }
    if (end - start > 1) drawing.stroke(data, colour, {.width = 1.8});
    for (std::size_t at = start; at < end; ++at) {
      const std::string title = line.name + ": " + shown_number(line.y[at], 4) + " at " + shown_number(line.x[at], 4);
      drawing.circle(frame.at(line.x[at], line.y[at]), 3.2, colour, {.title = title});
    }
  });
}

}  // namespace

std::string curves_figure(const CurvesPlot& plot) {
  check_curves(plot);
  std::vector<LegendEntry> legend;
  for (std::size_t line = 0; plot.lines.size() > 1 && line < plot.lines.size(); ++line) {
    legend.push_back({plot.lines[line].name, series_colour(line)});
  }
  const double legend_room = kCurvesWidth - kCurvesLeft;
  const double top = 26.0 + legend_height(legend, legend_room);
  Drawing drawing(kCurvesWidth, top + kCurvesPlot + 42.0, plot.title,
                  message(plot.lines.size(), plot.lines.size() == 1 ? " line: " : " lines: ", plot.vertical, " over ",
                          plot.horizontal, "."));
  drawing.text({8.0, 16.0}, fitted_text(plot.title, kTextSize, kCurvesWidth - 16.0), {.colour = kInk, .bold = true});
  draw_legend(drawing, {kCurvesLeft, 22.0}, legend_room, legend);
  const PlotFrame frame = curves_frame(plot, top);
  draw_axes(drawing, frame, {plot.horizontal, plot.vertical});
  for (std::size_t line = 0; line < plot.lines.size(); ++line) {
    draw_band(drawing, plot, plot.lines[line], frame, series_colour(line));
  }
  for (std::size_t line = 0; line < plot.lines.size(); ++line) {
    draw_curve(drawing, plot, plot.lines[line], frame, series_colour(line));
  }
  return drawing.finished();
}

}  // namespace diffeo
