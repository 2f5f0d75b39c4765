// Series as points in the plane, before and after alignment: what is alike lies together
// (diffeo/statistics/embedding.hpp).
//
//   embedding_figure({"GunPoint", labels, tsne(series, ...), tsne(aligned, ...)});
//
//   * two panels side by side, each with its own axes: places of an embedding have no meaning of their own
//   * a colour for each class, and beyond seven classes other shapes; the legend names up to fourteen classes
//   * a point shows its class when pointed at
//   * std::invalid_argument for no points, lists of different lengths, or places that are not finite
#pragma once

#include <array>
#include <string>
#include <vector>

namespace diffeo {

struct EmbeddingPlot {
  std::string dataset;
  std::vector<std::string> classes;  ///< of each point
  std::vector<std::array<double, 2>> before;
  std::vector<std::array<double, 2>> after;
};

[[nodiscard]] std::string embedding_figure(const EmbeddingPlot& plot);

}  // namespace diffeo
