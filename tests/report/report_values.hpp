// Reports to try things on.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "diffeo/align.hpp"
#include "diffeo/generate.hpp"
#include "diffeo/report.hpp"

namespace diffeo::testing {

/// Three classes of bumps with their true warps: nothing has to be found.
inline AlignmentReport bumps_report(std::size_t cases, std::size_t length, std::size_t channels = 1) {
  BumpsOptions options;
  options.classes = 3;
  options.channels = channels;
  options.length = length;
  Bumps bumps = generate_bumps(cases, 5, options);
  AlignmentReport report;
  report.title = "Bumps";
  report.aligned = bumps.dataset;
  report.series = std::move(bumps.dataset);
  return report;
}

/// Aligned without a network, with everything such an alignment gives.
inline AlignmentReport aligned_report(const Dataset& series) {
  AlignOptions options;
  options.cells = 8;
  options.max_iterations = 5;
  Alignment alignment = align(series, options);
  AlignmentReport report;
  report.title = "Aligned";
  report.series = series;
  report.aligned = std::move(alignment.aligned);
  report.velocities.push_back(std::move(alignment.velocities));
  report.centroids = std::move(alignment.mean);
  report.centroid_help = "Means of the aligned series.";
  return report;
}

}  // namespace diffeo::testing
