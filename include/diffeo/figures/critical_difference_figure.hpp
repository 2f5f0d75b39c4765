// Which methods differ: mean ranks on one axis, and bars over those that cannot be told apart.
//
//   write("ranks.svg", critical_difference_figure(critical_difference(table)));
//
// Rank 1, the best there is, is at the left. A bar joins neighbours whose difference is not significant at the level of
// the test: pairwise Wilcoxon tests with Holm's correction, or Nemenyi's critical difference, which is then drawn to
// scale above the axis. The line below says what Friedman's test finds over all methods.
//
//   * one <svg> element that stands alone or in a page (src/figures/drawing.hpp)
//   * every mark shows the method and its rank when pointed at
//   * std::invalid_argument for no methods, as many ranks as methods missing, or cliques of methods that are not there
#pragma once

#include <string>

#include "diffeo/statistics/critical_difference.hpp"

namespace diffeo {

[[nodiscard]] std::string critical_difference_figure(const CriticalDifference& difference);

}  // namespace diffeo
