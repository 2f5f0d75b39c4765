#include "diffeo/figures/frequency_figure.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "diffeo/error.hpp"
#include "figures/colours.hpp"
#include "figures/drawing.hpp"
#include "figures/figure_text.hpp"

namespace diffeo {
namespace {

using namespace figures;

constexpr double kFrequencyWidth = 506.0;
constexpr double kFrequencyBar = 300.0;   // of a value that always wins
constexpr double kFrequencyLeft = 136.0;  // of the longest name of a value, scaling-squaring
constexpr double kFrequencyRow = 19.0;
constexpr double kFrequencyHeading = 28.0;

void check_frequencies(std::span<const WinningFrequency> frequencies) {
  require(!frequencies.empty(), "frequencies: expected at least one hyper-parameter, got none");
  for (const WinningFrequency& each : frequencies) {
    require(!each.values.empty() && each.counts.size() == each.values.size(), each.option,
            ": expected as many counts as values (at least one), got ", each.counts.size(), " and ",
            each.values.size());
    for (const double count : each.counts) {
      require(std::isfinite(count) && count >= 0.0, each.option, ": expected counts from 0, got ", count);
    }
  }
}

double frequency_height(std::span<const WinningFrequency> frequencies) {
  double height = 8.0;
  for (const WinningFrequency& each : frequencies) {
    height += kFrequencyHeading + kFrequencyRow * static_cast<double>(each.values.size());
  }
  return height;
}

/// From `top` on; gives where it ends.
double draw_block(Drawing& drawing, const WinningFrequency& block, double top) {
  const double all = std::accumulate(block.counts.begin(), block.counts.end(), 0.0);
  drawing.text({8.0, top + 18.0}, block.option, {.colour = kInk, .bold = true});
  double y = top + kFrequencyHeading;
  for (std::size_t value = 0; value < block.values.size(); ++value, y += kFrequencyRow) {
    const double share = all > 0.0 ? block.counts[value] / all : 0.0;
    const std::string shown = shown_number(block.counts[value], 4);
    const double end = kFrequencyLeft + kFrequencyBar * share;
    drawing.text({kFrequencyLeft - 6.0, y + 12.0}, fitted_text(block.values[value], kTextSize, kFrequencyLeft - 12.0),
                 {.anchor = Anchor::end});
    drawing.rectangle({kFrequencyLeft, y + 1.0, kFrequencyLeft + kFrequencyBar, y + kFrequencyRow - 3.0}, kBlank);
    drawing.rectangle(
        {kFrequencyLeft, y + 1.0, end, y + kFrequencyRow - 3.0}, kBetter,
        {.title = block.option + " " + block.values[value] + ": " + shown + " of " + shown_number(all, 4)});
    drawing.text({kFrequencyLeft + kFrequencyBar + 8.0, y + 12.0}, shown, {.colour = kInk});
  }
  return y;
}

}  // namespace

std::string frequency_figure(std::span<const WinningFrequency> frequencies) {
  check_frequencies(frequencies);
  std::string description;
  for (const WinningFrequency& each : frequencies) {
    const auto most = std::ranges::max_element(each.counts) - each.counts.begin();
    description += each.option + ": most often " + each.values[static_cast<std::size_t>(most)] + ". ";
  }
  Drawing drawing(kFrequencyWidth, frequency_height(frequencies), "How often each value of a hyper-parameter wins",
                  description);
  double top = 0.0;
  for (const WinningFrequency& each : frequencies) top = draw_block(drawing, each, top);
  return drawing.finished();
}

}  // namespace diffeo
