// How likely two points are neighbours, for t-SNE (diffeo/statistics/embedding.hpp).
//
// Point i takes j for its neighbour with a probability proportional to exp(-s d), where d is their squared distance and
// s is such that the entropy of these probabilities is log(perplexity): as much as of that many equal neighbours. A
// pair's probability is the mean of both directions, over all pairs 1 together.
//
//   * at least two points, dimension x count finite values, perplexity >= 1; what the public function checked is not
//     checked again
//   * std::invalid_argument if squared distances are too large for a double
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace diffeo::statistics {

/// Probabilities of all but `own` in a row of squared distances; 0 for `own`.
[[nodiscard]] std::vector<double> neighbours_of(std::span<const double> squared_distances, std::size_t own,
                                                double perplexity);

/// count x count, symmetric, 0 on the diagonal, with the sum 1.
[[nodiscard]] std::vector<double> pair_probabilities(std::span<const double> rows, std::size_t count,
                                                     double perplexity);

}  // namespace diffeo::statistics
