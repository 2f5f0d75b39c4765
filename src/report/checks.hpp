// Whether the values of a report fit together.
#pragma once

#include <algorithm>

#include "diffeo/error.hpp"
#include "diffeo/report.hpp"

namespace diffeo::report {

inline void check_aligned(const Dataset& aligned, const Dataset& series) {
  require(aligned.cases() == series.cases(), "aligned: expected one for each of the ", series.cases(), " series, got ",
          aligned.cases());
  require(aligned.channels() == series.channels(), "aligned: expected ", series.channels(), " channels, got ",
          aligned.channels());
  require(aligned.equally_long(), "aligned: expected equally long series, got ", aligned.shortest(), " to ",
          aligned.longest(), " time steps");
}

inline void check_centroids(const AlignmentReport& report) {
  const Dataset& centroids = report.centroids;
  require(centroids.empty() || centroids.channels() == report.series.channels(), "centroids: expected ",
          report.series.channels(), " channels, got ", centroids.channels());
  require(centroids.equally_long(), "centroids: expected equally long series, got ", centroids.shortest(), " to ",
          centroids.longest(), " time steps");
}

/// std::invalid_argument that names the first value that does not.
inline void check(const AlignmentReport& report) {
  require(!report.series.empty(), "series: expected at least one, got none");
  if (report.aligned) check_aligned(*report.aligned, report.series);
  check_centroids(report);
  require(report.velocities.empty() || report.aligned, "velocities: expected with aligned series, got none");
  for (const Matrix& layer : report.velocities) {
    require(layer.rows() == report.series.cases() && layer.columns() >= 2, "velocities: expected ",
            report.series.cases(), " rows of at least 2, got ", layer.rows(), " of ", layer.columns());
  }
  require(report.predicted.empty() || report.predicted.size() == report.series.cases(),
          "predicted: expected one for each of the ", report.series.cases(), " series, got ", report.predicted.size());
  require(std::ranges::all_of(report.predicted,
                              [&](std::size_t number) { return number < report.centroids.class_names().size(); }),
          "predicted: expected numbers of the centroids' ", report.centroids.class_names().size(), " classes");
}

}  // namespace diffeo::report
