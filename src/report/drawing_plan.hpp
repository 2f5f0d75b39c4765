// What of a report is drawn, so that the page stays small and readable.
//
// The classes share the number of series evenly; what a small class leaves over goes to the others, and the series of a
// class are taken at random. Then points, series, channels and classes are reduced, in this order, until the numbers
// fit into the room a page has for them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "diffeo/report.hpp"

namespace diffeo::report {

/// Drawn, of more than anyone looks at.
inline constexpr std::size_t kMostCentroids = 100;

struct DrawingPlan {
  std::vector<std::vector<std::size_t>> items;  ///< of each group that is drawn, in the order of the file
  std::size_t points = 0;                       ///< of the common time, and of a series at most
  std::size_t channels = 0;                     ///< the first ones

  [[nodiscard]] std::size_t cases() const;
};

/// How many of each, at most `total` together but at least one each: as evenly as the sizes allow.
[[nodiscard]] std::vector<std::size_t> shared_out(std::span<const std::size_t> sizes, std::size_t total);

[[nodiscard]] DrawingPlan plan_drawing(const AlignmentReport& report, const ReportFigures& figures,
                                       const ReportDrawing& drawing);

}  // namespace diffeo::report
