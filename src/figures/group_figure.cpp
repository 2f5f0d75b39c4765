#include "diffeo/figures/group_figure.hpp"

#include <algorithm>
#include <cstddef>

#include "diffeo/error.hpp"
#include "figures/axes.hpp"
#include "figures/class_groups.hpp"
#include "figures/colours.hpp"
#include "figures/figure_text.hpp"

namespace diffeo {
namespace {

using namespace figures;

constexpr double kStripPlot = 240.0;
constexpr double kStripLeft = 54.0;
constexpr double kStripColumn = 13.0;
constexpr double kStripGap = 22.0;         // between groups
constexpr double kLeastStripWidth = 70.0;  // of a group, for its name

void check_groups(const ScoreTable& table, std::span<const std::string> groups) {
  require(!table.datasets.empty() && !table.methods.empty(),
          "table: expected at least one data set and one method, got ", table.datasets.size(), " and ",
          table.methods.size());
  require(table.scores.size() == table.datasets.size(), "scores: expected a row for each of the ",
          table.datasets.size(), " data sets, got ", table.scores.size());
  require(groups.size() == table.datasets.size(), "groups: expected one for each of the ", table.datasets.size(),
          " data sets, got ", groups.size());
}

double strip_mean(const ScoreTable& table, const LabelledGroup& group, std::size_t method) {
  double sum = 0.0;
  for (const std::size_t set : group.items) sum += table.scores[set][method];
  return sum / static_cast<double>(group.items.size());
}

void draw_strip(Drawing& drawing, const Scale& scale, const ScoreTable& table, const LabelledGroup& group,
                std::size_t method, double x) {
  for (const std::size_t set : group.items) {
    const double score = table.scores[set][method];
    drawing.circle(
        {x, scale.at(score)}, 2.6, series_colour(method),
        {.opacity = 0.5, .title = table.datasets[set] + ", " + table.methods[method] + ": " + fixed_number(score, 3)});
  }
  const double mean = strip_mean(table, group, method);
  drawing.line({x - 6.0, scale.at(mean)}, {x + 6.0, scale.at(mean)}, series_colour(method),
               {.width = 3.0, .title = group.name + ", " + table.methods[method] + ": mean " + fixed_number(mean, 3)});
}

double strips_width(std::size_t methods) {
  return std::max(kStripColumn * static_cast<double>(methods), kLeastStripWidth);
}

void draw_score_axis(Drawing& drawing, const Scale& scale, const Box& box) {
  for (const double tick : scale.ticks(5)) {
    drawing.line({box.left, scale.at(tick)}, {box.right, scale.at(tick)}, kRule);
    drawing.text({box.left - 6.0, scale.at(tick) + 4.0}, tick_text(tick), {.anchor = Anchor::end});
  }
  drawing.line({box.left, box.top}, {box.left, box.bottom}, kQuiet);
  drawing.line({box.left, box.bottom}, {box.right, box.bottom}, kQuiet);
  drawing.text({12.0, 0.5 * (box.top + box.bottom)}, "accuracy",
               {.anchor = Anchor::middle, .colour = kInk, .turned = -90.0});
}

Range score_range(const ScoreTable& table) {
  std::vector<double> all;
  for (const std::vector<double>& row : table.scores) all.insert(all.end(), row.begin(), row.end());
  return padded(range_of(all));
}

}  // namespace

std::string group_figure(const ScoreTable& table, std::span<const std::string> groups) {
  check_groups(table, groups);
  const std::vector<LabelledGroup> kinds = grouped_items(groups);
  const std::size_t methods = table.methods.size();
  std::vector<LegendEntry> legend;
  for (std::size_t method = 0; method < methods; ++method) {
    legend.push_back({table.methods[method], series_colour(method)});
  }
  const double step = strips_width(methods) + kStripGap;
  const double right = std::max(kStripLeft + step * static_cast<double>(kinds.size()), 300.0);
  const double top = 12.0 + legend_height(legend, right - kStripLeft);
  const Box box{kStripLeft, top, right, top + kStripPlot};
  Drawing drawing(right + 8.0, box.bottom + 42.0, "Scores by kind of data",
                  message(table.datasets.size(), " data sets of ", kinds.size(), " kinds, ", methods, " methods."));
  draw_legend(drawing, {kStripLeft, 4.0}, right - kStripLeft, legend);
  const Scale scale = linear_scale(score_range(table), {box.bottom, box.top});
  draw_score_axis(drawing, scale, box);
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    const double centre = kStripLeft + step * (static_cast<double>(kind) + 0.5);
    const double first = centre - 0.5 * kStripColumn * static_cast<double>(methods - 1);
    for (std::size_t method = 0; method < methods; ++method) {
      draw_strip(drawing, scale, table, kinds[kind], method, first + kStripColumn * static_cast<double>(method));
    }
    drawing.text({centre, box.bottom + 16.0}, fitted_text(kinds[kind].name, kTextSize, step),
                 {.anchor = Anchor::middle, .colour = kInk});
    const std::size_t sets = kinds[kind].items.size();
    drawing.text({centre, box.bottom + 32.0}, message(sets, sets == 1 ? " set" : " sets"),
                 {.anchor = Anchor::middle, .size = kSmallText});
  }
  return drawing.finished();
}

}  // namespace diffeo
