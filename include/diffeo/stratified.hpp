// Divides cases into folds with every class spread evenly over them.
//
//   std::vector<std::size_t> fold = stratified_folds(labels, 4, seed);   // fold[i] in 0 .. 3
//
// The cases of each class are shuffled and dealt to the folds in turn. The next class continues where the last one
// ended, so the sizes of the folds differ by at most one, and so do their counts of any class. A class with fewer cases
// than folds is in only some of them: a class of one case is held out once and trained on in all other folds.
//
//   * the same seed gives the same folds on every machine
//   * std::invalid_argument for fewer than 2 parts
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace diffeo {

/// labels: the class number of each case.
[[nodiscard]] std::vector<std::size_t> stratified_folds(std::span<const std::size_t> labels, std::size_t parts,
                                                        std::uint64_t seed);

}  // namespace diffeo
