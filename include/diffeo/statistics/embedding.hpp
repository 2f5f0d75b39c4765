// t-SNE: points of many dimensions drawn on paper so that neighbours stay neighbours (van der Maaten and Hinton, 2008).
//
// Around every point a normal distribution is laid, just so wide that it holds about `perplexity` neighbours. It gives
// each pair a probability p of being neighbours. On paper the pair has the probability q, proportional to 1 / (1 +
// distance^2). Points move downhill on the divergence of the two, sum of p log(p / q), from a small random cloud; at
// first p is exaggerated, so that clusters gather before they arrange themselves.
//
//   const auto points = tsne(values, count, {.perplexity = 20, .seed = 0});
//
// What to read from it: which points are together. Not from it: distances between clusters, their sizes, and the axes,
// which mean nothing.
//
//   * rows: count x dimension values, row after row; points come back in that order, their mean is the origin
//   * every pair in every iteration, O(count^2 (dimension + iterations)): 250 points take a fifth of a second, 1000
//     three
//   * same rows, same options, same bits. The picture depends on distances only: moving, mirroring or scaling all rows
//     changes no more than rounding does
//   * a perplexity above a third of the number of other points is lowered to that
//   * points that are all equal stay a small cloud
//   * std::invalid_argument for rows that are not whole, not finite or too far apart to be squared, and for a
//     perplexity below 1
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace diffeo {

struct EmbeddingOptions {
  double perplexity = 20.0;
  std::size_t iterations = 500;
  std::uint64_t seed = 0;
};

[[nodiscard]] std::vector<std::array<double, 2>> tsne(std::span<const double> rows, std::size_t count,
                                                      const EmbeddingOptions& options = {});

}  // namespace diffeo
