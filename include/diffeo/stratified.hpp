// A set of cases divided into parts that look alike: every class spread evenly over them.
//
//   std::vector<std::size_t> fold = stratified_folds(labels, 4, seed);   // fold[i] in 0 .. 3
//
// The cases of each class are shuffled and dealt out like cards, one class after the other without starting again, so
// that the parts' sizes differ by at most one, and so do the parts' counts of any class. A class with fewer cases than
// parts is in some of them only: a class of one case is held out once and trained on in all the other folds.
//
//   * the same seed gives the same folds on every machine
//   * std::invalid_argument for fewer than 2 parts
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace diffeo {

/// labels: the number of each case's class.
[[nodiscard]] std::vector<std::size_t> stratified_folds(std::span<const std::size_t> labels, std::size_t parts,
                                                        std::uint64_t seed);

}  // namespace diffeo
