#include "diffeo/figures/sharpshooter_figure.hpp"

#include <algorithm>
#include <cmath>

#include "diffeo/error.hpp"
#include "figures/axes.hpp"
#include "figures/colours.hpp"
#include "figures/figure_text.hpp"

namespace diffeo {
namespace {

using namespace figures;

constexpr double kShotWidth = 400.0;
constexpr double kShotHeight = 380.0;

std::string_view region_colour(SharpshooterRegion region) {
  switch (region) {
    case SharpshooterRegion::true_positive:
      return series_colour(0);
    case SharpshooterRegion::true_negative:
      return series_colour(2);
    case SharpshooterRegion::false_positive:
      return series_colour(1);
    default:
      return series_colour(4);
  }
}

/// With 1, where nothing changes, well inside.
/// With room on both sides of 1, in parts of all gains, for the words of a region: they go over no border.
Range gain_range(const Sharpshooter& values, double SharpshooterPoint::*gain, double room) {
  std::vector<double> gains = {1.0};
  for (const SharpshooterPoint& point : values.points) {
    require(std::isfinite(point.*gain), "gains: expected finite ones, got ", point.*gain, " for ", point.dataset);
    gains.push_back(point.*gain);
  }
  Range range = padded(range_of(gains), 0.08);
  const double least = room * (range.high - range.low);
  range.low = std::min(range.low, 1.0 - least);
  range.high = std::max(range.high, 1.0 + least);
  return range;
}

struct RegionCorner {
  SharpshooterRegion region;
  Box box;
  bool is_right;
  bool is_top;
  std::string_view words;
};

void draw_region(Drawing& drawing, const RegionCorner& corner, std::size_t count) {
  drawing.rectangle(corner.box, region_colour(corner.region), {.opacity = 0.08});
  const Box& box = corner.box;
  const Point at{corner.is_right ? box.right - 7.0 : box.left + 7.0, corner.is_top ? box.top + 16.0 : box.bottom - 8.0};
  const std::string words = std::string(corner.words) + ": " + std::to_string(count);
  drawing.text(at, words,
               {.anchor = corner.is_right ? Anchor::end : Anchor::start,
                .colour = region_colour(corner.region),
                .size = kSmallText,
                .bold = true});
}

void draw_regions(Drawing& drawing, const PlotFrame& frame, const Sharpshooter& values) {
  const Point one = frame.at(1.0, 1.0);
  const Box& box = frame.box;
  using enum SharpshooterRegion;
  for (const RegionCorner& corner :
       {RegionCorner{true_positive, {one.x, box.top, box.right, one.y}, true, true, "rightly expected"},
        RegionCorner{false_negative, {box.left, box.top, one.x, one.y}, false, true, "missed"},
        RegionCorner{true_negative, {box.left, one.y, one.x, box.bottom}, false, false, "rightly none"},
        RegionCorner{false_positive, {one.x, one.y, box.right, box.bottom}, true, false, "wrongly expected"}}) {
    draw_region(drawing, corner, values.counts[static_cast<std::size_t>(corner.region)]);
  }
  drawing.line({one.x, box.top}, {one.x, box.bottom}, kQuiet, {.dashes = "4 4"});
  drawing.line({box.left, one.y}, {box.right, one.y}, kQuiet, {.dashes = "4 4"});
}

}  // namespace

std::string sharpshooter_figure(const Sharpshooter& values, std::string_view method, std::string_view baseline) {
  const Range expected = gain_range(values, &SharpshooterPoint::expected_gain, 0.6);
  const Range actual = gain_range(values, &SharpshooterPoint::actual_gain, 0.35);
  const PlotFrame frame = linear_frame({54.0, 10.0, kShotWidth - 10.0, kShotHeight - 44.0}, expected, actual);
  const auto count = [&](SharpshooterRegion region) { return values.counts[static_cast<std::size_t>(region)]; };
  Drawing drawing(kShotWidth, kShotHeight, message("Texas sharpshooter plot: ", method, " over ", baseline),
                  message("Of ", values.points.size(), " data sets a gain was expected and came on ",
                          count(SharpshooterRegion::true_positive), ", was expected and did not come on ",
                          count(SharpshooterRegion::false_positive), ", came unexpected on ",
                          count(SharpshooterRegion::false_negative), ", and was neither expected nor came on ",
                          count(SharpshooterRegion::true_negative), "."));
  draw_axes(drawing, frame, {"expected gain (training data)", "actual gain (test data)"});
  draw_regions(drawing, frame, values);
  for (const SharpshooterPoint& point : values.points) {
    const std::string title = point.dataset + ": expected " + fixed_number(point.expected_gain, 3) + ", actual " +
                              fixed_number(point.actual_gain, 3);
    drawing.circle(frame.at(point.expected_gain, point.actual_gain), 4.0, region_colour(point.region),
                   {.opacity = 0.8, .title = title});
  }
  return drawing.finished();
}

}  // namespace diffeo
