// Whether an accuracy that somebody published can be right: whether some number of right answers has it.
//
// On n test cases an accuracy is k / n, whoever classifies. A figure further from all of these than rounding explains
// is that of another test set, a mean over several, or a slip.
//
//   is_reachable_accuracy(0.9643, 28, 4)      // true: 27 / 28 = 0.96428...
//   is_reachable_accuracy(0.95, 28, 2)        // false: 26 / 28 = 0.928..., 27 / 28 = 0.964...
//
//   * digits: how many decimals the figure was rounded to. The fewer, and the more cases, the less can be told: with
//     10^digits cases or more everything is reachable
//   * std::invalid_argument for no cases
#pragma once

#include <cstddef>

namespace diffeo {

[[nodiscard]] bool is_reachable_accuracy(double accuracy, std::size_t cases, std::size_t digits);

}  // namespace diffeo
