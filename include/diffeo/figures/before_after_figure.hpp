// A quantity before and after, a row for every data set: dumb-bells on a logarithmic axis.
//
//   before_after_figure("within-class variance", {{"GunPoint", 21.0, 10.5}, {"Trace", 80.0, 3.2}});
//
//   * rows are drawn in the order given; an open ring is before, a filled dot after
//   * what is zero stands at the left end of the axis
//   * both dots show the data set and both values when pointed at
//   * std::invalid_argument for no rows, or values that are negative or not finite
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace diffeo {

struct BeforeAfter {
  std::string dataset;
  double before = 0.0;
  double after = 0.0;
};

[[nodiscard]] std::string before_after_figure(std::string_view quantity, std::span<const BeforeAfter> rows);

}  // namespace diffeo
