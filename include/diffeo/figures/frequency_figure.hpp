// Which value of each hyper-parameter wins how often: bars, a block for every hyper-parameter.
//
//   frequency_figure({{"cells", {"16", "32", "64"}, {4, 20, 7}}, {"layers", {"1", "5"}, {12, 19}}});
//
//   * a bar shows the share of its block: as long as the block is wide for a value that always wins
//   * counts may be fractions, where several settings share a win
//   * std::invalid_argument for no hyper-parameters, lists of different lengths, or counts that are negative
#pragma once

#include <span>
#include <string>
#include <vector>

namespace diffeo {

struct WinningFrequency {
  std::string option;
  std::vector<std::string> values;
  std::vector<double> counts;  ///< of data sets on which the value was in the best setting
};

[[nodiscard]] std::string frequency_figure(std::span<const WinningFrequency> frequencies);

}  // namespace diffeo
