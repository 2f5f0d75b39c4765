#include "diffeo/figures/score_scatter_figure.hpp"

#include <algorithm>

#include "diffeo/error.hpp"
#include "figures/axes.hpp"
#include "figures/colours.hpp"
#include "figures/figure_text.hpp"

namespace diffeo {
namespace {

using namespace figures;

constexpr double kScatterSize = 360.0;
constexpr double kScatterTop = 28.0;

void check_scatter(const ScoreTable& table, std::size_t horizontal, std::size_t vertical) {
  require(!table.datasets.empty(), "data sets: expected at least one, got none");
  require(std::max(horizontal, vertical) < table.methods.size(), "methods: expected numbers below ",
          table.methods.size(), ", got ", horizontal, " and ", vertical);
  require(table.scores.size() == table.datasets.size(), "scores: expected a row for each of the ",
          table.datasets.size(), " data sets, got ", table.scores.size());
}

/// Of both methods, so that equal scores lie on the diagonal; accuracies do not leave [0, 1].
Range common_range(const std::vector<double>& first, const std::vector<double>& second) {
  std::vector<double> both = first;
  both.insert(both.end(), second.begin(), second.end());
  const Range tight = range_of(both);
  Range range = padded(tight);
  if (tight.low >= 0.0) range.low = std::max(range.low, 0.0);
  if (tight.high <= 1.0 && tight.high > 0.5) range.high = std::min(range.high, 1.02);
  return range;
}

struct ScatterCounts {
  std::size_t above = 0;
  std::size_t below = 0;
  std::size_t equal = 0;
};

std::string better_text(const std::string& method, std::size_t count, double room) {
  const std::string words = " better: " + std::to_string(count);
  return fitted_text(method, kTextSize, room - text_width(words, kTextSize)) + words;
}

/// Above the plot: inside, points would lie on them.
void draw_scatter_counts(Drawing& drawing, const Box& box, const std::string& above, const std::string& below,
                         const ScatterCounts& counts) {
  const double room = 0.42 * box.width();
  const double line = box.top - 9.0;
  drawing.text({box.left, line}, better_text(above, counts.above, room), {.colour = kBetter, .bold = true});
  drawing.text({box.right, line}, better_text(below, counts.below, room),
               {.anchor = Anchor::end, .colour = kWorse, .bold = true});
  if (counts.equal > 0) {
    drawing.text({0.5 * (box.left + box.right), line},
                 std::to_string(counts.equal) + (counts.equal == 1 ? " tie" : " ties"), {.anchor = Anchor::middle});
  }
}

}  // namespace

std::string score_scatter_figure(const ScoreTable& table, std::size_t horizontal, std::size_t vertical) {
  check_scatter(table, horizontal, vertical);
  const std::vector<double> across = scores_of(table, horizontal);
  const std::vector<double> upward = scores_of(table, vertical);
  const std::string& below = table.methods[horizontal];
  const std::string& above = table.methods[vertical];
  ScatterCounts counts;
  for (std::size_t set = 0; set < across.size(); ++set) {
    ++(upward[set] > across[set] ? counts.above : upward[set] < across[set] ? counts.below : counts.equal);
  }

  const Range range = common_range(across, upward);
  const PlotFrame frame =
      linear_frame({54.0, kScatterTop, kScatterSize - 10.0, kScatterTop + kScatterSize - 54.0}, range, range);
  Drawing drawing(kScatterSize, kScatterTop + kScatterSize - 10.0, above + " against " + below,
                  message("Scores on ", across.size(), " data sets: ", above, " is better on ", counts.above, ", ",
                          below, " on ", counts.below, ", equal on ", counts.equal, "."));
  draw_axes(drawing, frame, {below, above});
  drawing.line(frame.at(range.low, range.low), frame.at(range.high, range.high), kQuiet, {.dashes = "4 4"});
  draw_scatter_counts(drawing, frame.box, above, below, counts);
  for (std::size_t set = 0; set < across.size(); ++set) {
    const std::string_view colour = upward[set] > across[set] ? kBetter : upward[set] < across[set] ? kWorse : kQuiet;
    const std::string title = table.datasets[set] + ": " + above + " " + fixed_number(upward[set], 3) + ", " + below +
                              " " + fixed_number(across[set], 3);
    drawing.circle(frame.at(across[set], upward[set]), 4.0, colour, {.opacity = 0.75, .title = title});
  }
  return drawing.finished();
}

}  // namespace diffeo
