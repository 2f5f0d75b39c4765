// Errors over two parameters: a cell for every pair of values, its colour the power of ten, with a colour scale.
//
//   error_map_figure({"Error of the alternating solver", "steps", "inner steps", {1, 10}, {1, 5}, {{1e-1, 1e-3},
//   ...}});
//
//   * rows from the bottom up, in the order of the vertical values; dark is a small error
//   * an error of zero has the colour of the smallest positive one; what is not finite is left blank
//   * a cell shows both values and the error when pointed at
//   * std::invalid_argument for no values, another number of errors, or negative ones
#pragma once

#include <string>
#include <vector>

namespace diffeo {

struct ErrorMap {
  std::string title;
  std::string horizontal;
  std::string vertical;
  std::vector<double> horizontal_values;
  std::vector<double> vertical_values;
  std::vector<std::vector<double>> errors;  ///< errors[vertical][horizontal]
};

[[nodiscard]] std::string error_map_figure(const ErrorMap& map);

}  // namespace diffeo
