// Series before and after alignment, a row each, colour for value: features that line up become vertical.
//
//   alignment_heat_figure({"GunPoint", labels, before, after});
//
//   * two panels with the same rows, grouped by class in the order in which classes first appear, and the same colours:
//     from the least to the greatest of all values shown
//   * missing values (NaN) are left blank
//   * at most 60 rows, taken evenly from the series as they are grouped, and 120 columns, means of neighbours: under
//     60 kB whatever is given
//   * std::invalid_argument for no series, lists of different lengths, or series that are not equally long
#pragma once

#include <string>
#include <vector>

namespace diffeo {

struct AlignmentHeat {
  std::string dataset;
  std::vector<std::string> classes;  ///< of each series
  std::vector<std::vector<double>> before;
  std::vector<std::vector<double>> after;
};

[[nodiscard]] std::string alignment_heat_figure(const AlignmentHeat& heat);

}  // namespace diffeo
