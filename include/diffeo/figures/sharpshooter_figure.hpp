// Could one have known? The Texas sharpshooter plot: the gain that training data promised against the gain that test
// data brought, both as a ratio to the accuracy of a baseline.
//
//   sharpshooter_figure(sharpshooter(...), "diffeo", "euclidean");
//
// Right of 1 a gain was promised, above 1 there was one. Upper right and lower left are promises kept; lower right is
// the bad corner, a promise that was not kept. Every corner says how many data sets lie in it.
//
//   * a point shows its data set and both gains when pointed at
//   * the regions are those of the values given: the figure counts nothing again
//   * std::invalid_argument for gains that are not finite
#pragma once

#include <string>
#include <string_view>

#include "diffeo/statistics/sharpshooter.hpp"

namespace diffeo {

[[nodiscard]] std::string sharpshooter_figure(const Sharpshooter& values, std::string_view method,
                                              std::string_view baseline);

}  // namespace diffeo
