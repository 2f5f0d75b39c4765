// Lines with a mark at every measurement, several in one plot, with bands where a spread is known: ablations, studies.
//
//   curves_figure({.title = "Accuracy by number of cells", .horizontal = "cells", .vertical = "accuracy",
//                  .is_horizontal_logarithmic = true, .lines = {{"diffeo", {4, 16, 64}, {0.7, 0.8, 0.8}}}});
//
//   * a value that is not finite, or not positive on a logarithmic axis, makes a gap
//   * a mark shows its line and both numbers when pointed at
//   * std::invalid_argument for no lines, or lists of different lengths
#pragma once

#include <string>
#include <vector>

namespace diffeo {

struct CurveLine {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> low = {};  ///< the band, or none
  std::vector<double> high = {};
};

struct CurvesPlot {
  std::string title;
  std::string horizontal;
  std::string vertical;
  bool is_horizontal_logarithmic = false;
  bool is_vertical_logarithmic = false;
  std::vector<CurveLine> lines;
};

[[nodiscard]] std::string curves_figure(const CurvesPlot& plot);

}  // namespace diffeo
