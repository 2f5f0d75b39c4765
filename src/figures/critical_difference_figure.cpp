#include "diffeo/figures/critical_difference_figure.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "diffeo/error.hpp"
#include "figures/colours.hpp"
#include "figures/drawing.hpp"
#include "figures/figure_text.hpp"
#include "figures/scale.hpp"

namespace diffeo {
namespace {

using namespace figures;

constexpr double kRankWidth = 640.0;
constexpr double kRankRow = 22.0;
constexpr double kCliqueStep = 11.0;
constexpr double kRankStub = 12.0;  // of a line beyond the axis, before the name

void check_difference(const CriticalDifference& values) {
  require(!values.methods.empty(), "methods: expected at least one, got none");
  require(values.ranks.size() == values.methods.size(), "ranks: expected one for each of the ", values.methods.size(),
          " methods, got ", values.ranks.size());
  for (const std::vector<std::size_t>& clique : values.cliques) {
    for (const std::size_t member : clique) {
      require(member < values.methods.size(), "cliques: expected numbers of the ", values.methods.size(),
              " methods, got ", member);
    }
  }
}

/// Where things are: the axis, then bars, then rows of names.
struct RankLayout {
  Scale scale;
  double axis = 0.0;
  double first_bar = 0.0;
  double first_row = 0.0;
  double height = 0.0;
  bool has_ruler = false;
};

double name_room(const CriticalDifference& values) {
  double widest = 0.0;
  for (const std::string& method : values.methods) widest = std::max(widest, text_width(method + " (0.00)", kTextSize));
  return std::clamp(widest + kRankStub + 10.0, 60.0, 220.0);
}

RankLayout rank_layout(const CriticalDifference& values) {
  const std::size_t count = values.methods.size();
  const bool has_ruler = values.test == CliqueTest::nemenyi;
  const double room = name_room(values);
  const double highest = std::max<double>(2.0, static_cast<double>(count));
  RankLayout layout{linear_scale({1.0, highest}, {room, kRankWidth - room})};
  layout.has_ruler = has_ruler;
  layout.axis = has_ruler ? 72.0 : 44.0;
  layout.first_bar = layout.axis + 16.0;
  layout.first_row = layout.first_bar + kCliqueStep * static_cast<double>(values.cliques.size()) + 16.0;
  layout.height = layout.first_row + kRankRow * static_cast<double>((count + 1) / 2) + 22.0;
  return layout;
}

void draw_rank_axis(Drawing& drawing, const RankLayout& layout) {
  const Range& ends = layout.scale.places();
  const Range& ranks = layout.scale.values();
  drawing.text({0.5 * (ends.low + ends.high), layout.axis - 26.0}, "mean rank, 1 is best",
               {.anchor = Anchor::middle, .colour = kInk});
  drawing.line({ends.low, layout.axis}, {ends.high, layout.axis}, kInk, {.width = 1.5});
  for (double rank = 1.0; rank <= ranks.high; ++rank) {
    const double x = layout.scale.at(rank);
    drawing.line({x, layout.axis - 6.0}, {x, layout.axis}, kInk);
    drawing.text({x, layout.axis - 9.0}, shown_number(rank), {.anchor = Anchor::middle});
  }
}

/// How far ranks have to be apart, to scale.
void draw_ruler(Drawing& drawing, const RankLayout& layout, double difference) {
  const double left = layout.scale.places().low;
  const double right = left + layout.scale.at(1.0 + difference) - layout.scale.at(1.0);
  const double y = 14.0;
  drawing.line({left, y}, {right, y}, kInk, {.width = 1.5});
  for (const double end : {left, right}) drawing.line({end, y - 4.0}, {end, y + 4.0}, kInk, {.width = 1.5});
  drawing.text({right + 8.0, y + 4.0}, "critical difference " + shown_number(difference), {.colour = kInk});
}

void draw_method(Drawing& drawing, const RankLayout& layout, const CriticalDifference& values, std::size_t place) {
  const std::size_t count = values.methods.size();
  const bool is_left = place < (count + 1) / 2;
  const std::size_t row = is_left ? place : count - 1 - place;
  const double y = layout.first_row + kRankRow * static_cast<double>(row);
  const double x = layout.scale.at(values.ranks[place]);
  const Range& ends = layout.scale.places();
  const double end = is_left ? ends.low - kRankStub : ends.high + kRankStub;
  std::string elbow;
  append_point(elbow, 'M', {x, layout.axis});
  append_point(elbow, 'L', {x, y});
  append_point(elbow, 'L', {end, y});
  const std::string rank = fixed_number(values.ranks[place], 2);
  drawing.stroke(elbow, kQuiet, {.title = values.methods[place] + ": mean rank " + rank});
  drawing.circle({x, layout.axis}, 3.5, place == 0 ? kBetter : kInk,
                 {.title = values.methods[place] + ": mean rank " + rank});
  const std::string name = fitted_text(values.methods[place], kTextSize, 150.0) + " (" + rank + ")";
  drawing.text({end + (is_left ? -5.0 : 5.0), y + 4.0}, name,
               {.anchor = is_left ? Anchor::end : Anchor::start, .colour = kInk, .bold = place == 0});
}

std::string clique_names(const CriticalDifference& values, const std::vector<std::size_t>& clique) {
  std::string names;
  for (const std::size_t member : clique) names += (names.empty() ? "" : ", ") + values.methods[member];
  return names;
}

void draw_cliques(Drawing& drawing, const RankLayout& layout, const CriticalDifference& values) {
  double y = layout.first_bar;
  for (const std::vector<std::size_t>& clique : values.cliques) {
    if (clique.empty()) continue;
    const auto [best, worst] =
        std::ranges::minmax(clique, {}, [&](std::size_t member) { return values.ranks[member]; });
    drawing.line({layout.scale.at(values.ranks[best]) - 4.0, y}, {layout.scale.at(values.ranks[worst]) + 4.0, y}, kInk,
                 {.width = 4.5, .title = "not told apart: " + clique_names(values, clique)});
    y += kCliqueStep;
  }
}

std::string difference_description(const CriticalDifference& values) {
  std::string text;
  for (std::size_t place = 0; place < values.methods.size(); ++place) {
    text += (place == 0 ? "" : ", ") + values.methods[place] + " " + fixed_number(values.ranks[place], 2);
  }
  for (const std::vector<std::size_t>& clique : values.cliques)
    text += "; not told apart: " + clique_names(values, clique);
  return "Mean ranks, best first: " + text + ".";
}

std::string friedman_text(const CriticalDifference& values) {
  if (values.methods.size() < 2 || !std::isfinite(values.friedman.statistic)) return "";
  return "Friedman: χ² = " + shown_number(values.friedman.statistic, 4) + ", " + shown_p_value(values.friedman.p_value);
}

}  // namespace

std::string critical_difference_figure(const CriticalDifference& difference) {
  check_difference(difference);
  const RankLayout layout = rank_layout(difference);
  const std::string test = layout.has_ruler ? "Nemenyi" : "Wilcoxon and Holm";
  Drawing drawing(kRankWidth, layout.height, "Critical-difference diagram, " + test,
                  difference_description(difference));
  draw_rank_axis(drawing, layout);
  if (layout.has_ruler) draw_ruler(drawing, layout, difference.nemenyi_difference);
  for (std::size_t place = 0; place < difference.methods.size(); ++place) {
    draw_method(drawing, layout, difference, place);
  }
  draw_cliques(drawing, layout, difference);
  const std::string level = "bars join what is not told apart by " + test + " at " + shown_number(difference.level);
  const std::string over_all = friedman_text(difference);
  drawing.text({0.5 * kRankWidth, layout.height - 6.0}, over_all.empty() ? level : over_all + "; " + level,
               {.anchor = Anchor::middle, .size = kSmallText});
  return drawing.finished();
}

}  // namespace diffeo
