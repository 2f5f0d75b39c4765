#include "diffeo/figures/before_after_figure.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "diffeo/error.hpp"
#include "figures/axes.hpp"
#include "figures/colours.hpp"
#include "figures/figure_text.hpp"

namespace diffeo {
namespace {

using namespace figures;

constexpr double kDumbbellWidth = 640.0;
constexpr double kDumbbellRow = 18.0;
constexpr double kDumbbellTop = 26.0;

void check_rows(std::span<const BeforeAfter> rows) {
  require(!rows.empty(), "rows: expected at least one, got none");
  for (const BeforeAfter& row : rows) {
    require(std::isfinite(row.before) && std::isfinite(row.after) && row.before >= 0.0 && row.after >= 0.0, row.dataset,
            ": expected values from 0, got ", row.before, " and ", row.after);
  }
}

double dataset_room(std::span<const BeforeAfter> rows) {
  double widest = 0.0;
  for (const BeforeAfter& row : rows) widest = std::max(widest, text_width(row.dataset, kSmallText));
  return std::clamp(widest + 16.0, 60.0, 200.0);
}

Scale dumbbell_scale(std::span<const BeforeAfter> rows, Range places) {
  std::vector<double> values;
  for (const BeforeAfter& row : rows) {
    values.push_back(row.before);
    values.push_back(row.after);
  }
  return logarithmic_scale(padded_by_factor(positive_range_of(values)), places);
}

void draw_dumbbell(Drawing& drawing, const Scale& scale, const BeforeAfter& row, double y) {
  const Point before{scale.at(row.before), y};
  const Point after{scale.at(row.after), y};
  const std::string left = row.before > 0.0 ? ", " + shown_number(100.0 * row.after / row.before) + " % left" : "";
  const std::string title =
      row.dataset + ": " + shown_number(row.before, 4) + " before, " + shown_number(row.after, 4) + " after" + left;
  const std::string_view colour = row.after <= row.before ? kBetter : kWorse;
  drawing.line(before, after, colour, {.width = 2.0, .title = title});
  drawing.circle(before, 4.0, kQuiet, {.title = title});
  drawing.circle(before, 2.4, "var(--card, #ffffff)", {.title = title});  // a ring that is open
  drawing.circle(after, 4.2, colour, {.title = title});
}

}  // namespace

std::string before_after_figure(std::string_view quantity, std::span<const BeforeAfter> rows) {
  check_rows(rows);
  const double left = dataset_room(rows);
  const double bottom = kDumbbellTop + kDumbbellRow * static_cast<double>(rows.size());
  const Box box{left, kDumbbellTop, kDumbbellWidth - 16.0, bottom};
  const Scale scale = dumbbell_scale(rows, {box.left, box.right});
  const auto lower = std::ranges::count_if(rows, [](const BeforeAfter& row) { return row.after < row.before; });
  Drawing drawing(kDumbbellWidth, bottom + 44.0, message(quantity, " before and after"),
                  message("Lower after than before on ", lower, " of ", rows.size(), " data sets."));
  const std::vector<LegendEntry> legend = {{"before", kQuiet}, {"after, lower", kBetter}, {"after, higher", kWorse}};
  draw_legend(drawing, {left, 2.0}, box.width(), legend);
  draw_horizontal_axis(drawing, scale, box, quantity);
  double y = kDumbbellTop + 0.5 * kDumbbellRow;
  for (const BeforeAfter& row : rows) {
    drawing.text({left - 8.0, y + 4.0}, fitted_text(row.dataset, kSmallText, left - 12.0),
                 {.anchor = Anchor::end, .colour = kInk, .size = kSmallText});
    draw_dumbbell(drawing, scale, row, y);
    y += kDumbbellRow;
  }
  return drawing.finished();
}

}  // namespace diffeo
