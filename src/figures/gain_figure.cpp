#include "diffeo/figures/gain_figure.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "diffeo/error.hpp"
#include "diffeo/statistics/correlation.hpp"
#include "figures/axes.hpp"
#include "figures/colours.hpp"
#include "figures/figure_text.hpp"

namespace diffeo {
namespace {

using namespace figures;

constexpr double kGainWidth = 380.0;
constexpr double kGainHeight = 300.0;
constexpr std::size_t kLeastForCorrelation = 3;

void check_gains(const GainPlot& plot) {
  require(!plot.datasets.empty(), "data sets: expected at least one, got none");
  require(plot.values.size() == plot.datasets.size() && plot.gains.size() == plot.datasets.size(),
          "values and gains: expected one for each of the ", plot.datasets.size(), " data sets, got ",
          plot.values.size(), " and ", plot.gains.size());
  for (std::size_t set = 0; set < plot.datasets.size(); ++set) {
    require(std::isfinite(plot.values[set]) && std::isfinite(plot.gains[set]), "values and gains of ",
            plot.datasets[set], ": expected finite ones, got ", plot.values[set], " and ", plot.gains[set]);
    require(!plot.is_logarithmic || plot.values[set] > 0.0, plot.property, " of ", plot.datasets[set],
            ": expected a positive number for a logarithmic axis, got ", plot.values[set]);
  }
}

bool is_constant(std::span<const double> values) {
  return std::ranges::all_of(values, [&](double value) { return value == values.front(); });
}

PlotFrame gain_frame(const GainPlot& plot) {
  const Box box{58.0, 32.0, kGainWidth - 12.0, kGainHeight - 44.0};
  std::vector<double> gains = plot.gains;
  gains.push_back(0.0);
  const Range tight = range_of(plot.values);
  const Scale across = plot.is_logarithmic ? logarithmic_scale(padded_by_factor(tight), {box.left, box.right})
                                           : linear_scale(padded(tight), {box.left, box.right});
  return {box, across, linear_scale(padded(range_of(gains), 0.08), {box.bottom, box.top})};
}

}  // namespace

std::string gain_correlation_text(const GainPlot& plot) {
  check_gains(plot);
  if (plot.datasets.size() < kLeastForCorrelation || is_constant(plot.values) || is_constant(plot.gains)) return "";
  std::vector<double> shown = plot.values;
  if (plot.is_logarithmic) {
    for (double& value : shown) value = std::log10(value);
  }
  const Correlation by_rank = spearman(plot.values, plot.gains);
  const Correlation by_value = pearson(shown, plot.gains);
  return "Spearman " + fixed_number(by_rank.coefficient, 2) + " (" + shown_p_value(by_rank.p_value) + "), Pearson " +
         fixed_number(by_value.coefficient, 2) + " (" + shown_p_value(by_value.p_value) + ")";
}

std::string gain_figure(const GainPlot& plot) {
  check_gains(plot);
  const PlotFrame frame = gain_frame(plot);
  const std::string correlation = gain_correlation_text(plot);
  const std::string title = "Gain of " + plot.method + " over " + plot.baseline + " by " + plot.property;
  Drawing drawing(kGainWidth, kGainHeight, title,
                  message(plot.datasets.size(), " data sets. ", correlation.empty() ? "" : correlation + "."));
  draw_axes(drawing, frame, {plot.property, "gain over " + fitted_text(plot.baseline, kTextSize, 120.0)});
  drawing.text({frame.box.left, 18.0}, correlation, {.size = kSmallText});
  drawing.line({frame.box.left, frame.vertical.at(0.0)}, {frame.box.right, frame.vertical.at(0.0)}, kInk,
               {.dashes = "4 4"});
  for (std::size_t set = 0; set < plot.datasets.size(); ++set) {
    const double gain = plot.gains[set];
    const std::string words = plot.datasets[set] + ": " + shown_number(plot.values[set], 6) + " " + plot.property +
                              ", gain " + fixed_number(gain, 3);
    drawing.circle(frame.at(plot.values[set], gain), 4.0,
                   gain > 0.0   ? kBetter
                   : gain < 0.0 ? kWorse
                                : kQuiet,
                   {.opacity = 0.75, .title = words});
  }
  return drawing.finished();
}

}  // namespace diffeo
