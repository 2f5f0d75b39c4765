// Does the gain of one method over another depend on the data? A point for every data set: a property of it (training
// cases, length, classes) against the difference of scores.
//
//   gain_figure({"diffeo", "euclidean", "training cases", names, cases, differences});
//
//   * above the line at zero the method is better
//   * a logarithmic axis of the property unless told otherwise; the property has to be positive then
//   * the line above the plot gives Spearman's and Pearson's correlations (Pearson's with the property as it is drawn),
//     where there are at least three data sets and neither side is constant
//   * std::invalid_argument for lists of different lengths, values that are not finite, no data sets
#pragma once

#include <string>
#include <vector>

namespace diffeo {

struct GainPlot {
  std::string method;
  std::string baseline;
  std::string property;  ///< what the horizontal axis is called
  std::vector<std::string> datasets;
  std::vector<double> values;  ///< of the property
  std::vector<double> gains;   ///< score of the method minus score of the baseline
  bool is_logarithmic = true;
};

[[nodiscard]] std::string gain_figure(const GainPlot& plot);

/// The same as a sentence: "Spearman −0.12 (p = 0.5), Pearson ..."; empty where it cannot be computed.
[[nodiscard]] std::string gain_correlation_text(const GainPlot& plot);

}  // namespace diffeo
