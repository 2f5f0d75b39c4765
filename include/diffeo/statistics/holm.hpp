// Holm's correction: p-values of several tests at once.
//
// Who makes fifteen tests at the level 0.05 finds something in more than half of all cases where there is nothing.
// Holm's adjusted p-values can be compared with the level as if each were the only test; then the probability of even
// one false alarm stays below it, whatever the tests have to do with each other. The smallest of m p-values is
// multiplied by m, the next by m - 1, and so on, where none may become smaller than one before it.
//
//   holm_adjusted(std::vector{0.01, 0.04, 0.03})        // {0.03, 0.06, 0.06}
//
//   * in the order given; at most 1
//   * never less strict than needed: Bonferroni, m times each, rejects nothing that this does not
//   * std::invalid_argument for numbers outside 0 .. 1
#pragma once

#include <span>
#include <vector>

namespace diffeo {

[[nodiscard]] std::vector<double> holm_adjusted(std::span<const double> p_values);

}  // namespace diffeo
