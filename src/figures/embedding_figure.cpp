#include "diffeo/figures/embedding_figure.hpp"

#include <cmath>
#include <span>

#include "diffeo/error.hpp"
#include "figures/axes.hpp"
#include "figures/class_groups.hpp"
#include "figures/colours.hpp"
#include "figures/figure_text.hpp"

namespace diffeo {
namespace {

using namespace figures;

constexpr double kEmbeddingPanel = 300.0;
constexpr double kEmbeddingHeight = 260.0;
constexpr double kEmbeddingGap = 16.0;
constexpr double kEmbeddingMargin = 8.0;
constexpr double kEmbeddingTop = 24.0;
constexpr std::size_t kMostNamedClasses = 14;

using Places = std::vector<std::array<double, 2>>;

void check_embedding(const EmbeddingPlot& plot) {
  require(!plot.before.empty(), "before: expected at least one point, got none");
  require(plot.after.size() == plot.before.size() && plot.classes.size() == plot.before.size(),
          "after and classes: expected one for each of the ", plot.before.size(), " points, got ", plot.after.size(),
          " and ", plot.classes.size());
  for (const Places* places : {&plot.before, &plot.after}) {
    for (const auto& [x, y] : *places) {
      require(std::isfinite(x) && std::isfinite(y), "places: expected finite ones, got ", x, ", ", y);
    }
  }
}

PlotFrame panel_frame(const Box& box, const Places& places) {
  std::vector<double> across;
  std::vector<double> upward;
  for (const auto& [x, y] : places) {
    across.push_back(x);
    upward.push_back(y);
  }
  return linear_frame(box, padded(range_of(across)), padded(range_of(upward)));
}

void draw_embedding_panel(Drawing& drawing, const Box& box, const Places& places, std::span<const LabelledGroup> groups,
                          std::string_view name) {
  drawing.text({box.left, box.top - 8.0}, name, {.colour = kInk, .bold = true});
  drawing.rectangle(box, kBlank, {.opacity = 0.5});
  const PlotFrame frame = panel_frame(box, places);
  for (std::size_t number = 0; number < groups.size(); ++number) {
    drawing.open_group(series_colour(number), groups[number].name);
    for (const std::size_t item : groups[number].items) {
      drawing.marker(frame.at(places[item][0], places[item][1]), 3.0, number);
    }
    drawing.close_group();
  }
}

std::vector<LegendEntry> class_legend(std::span<const LabelledGroup> groups) {
  std::vector<LegendEntry> entries;
  if (groups.size() > kMostNamedClasses) return entries;
  for (std::size_t number = 0; number < groups.size(); ++number) {
    entries.push_back({fitted_text(groups[number].name, kTextSize, 160.0), series_colour(number)});
  }
  return entries;
}

}  // namespace

std::string embedding_figure(const EmbeddingPlot& plot) {
  check_embedding(plot);
  const std::vector<LabelledGroup> groups = grouped_items(plot.classes);
  const std::vector<LegendEntry> legend = class_legend(groups);
  const double width = 2.0 * (kEmbeddingMargin + kEmbeddingPanel) + kEmbeddingGap;
  const double bottom = kEmbeddingTop + kEmbeddingHeight;
  const double legend_room = width - 2.0 * kEmbeddingMargin;
  Drawing drawing(
      width, bottom + 10.0 + legend_height(legend, legend_room),
      plot.dataset + ": series as points, before and after alignment",
      message("t-SNE of ", plot.before.size(), " series of ", groups.size(), " classes; each panel has its own axes."));
  const double middle = kEmbeddingMargin + kEmbeddingPanel + kEmbeddingGap;
  draw_embedding_panel(drawing, {kEmbeddingMargin, kEmbeddingTop, kEmbeddingMargin + kEmbeddingPanel, bottom},
                       plot.before, groups, "before");
  draw_embedding_panel(drawing, {middle, kEmbeddingTop, middle + kEmbeddingPanel, bottom}, plot.after, groups, "after");
  draw_legend(drawing, {kEmbeddingMargin, bottom + 6.0}, legend_room, legend);
  return drawing.finished();
}

}  // namespace diffeo
