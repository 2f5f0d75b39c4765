// What the inputs of `diffeo report` say about a set of series, as the values that a page is made of.
#pragma once

#include <string>

#include "diffeo/dataset.hpp"
#include "diffeo/report.hpp"

namespace diffeo::cli {

/// The series to report on, and the file they come from.
struct NamedSeries {
  std::string file;
  Dataset set;
};

/// A model that fit made. Needs libtorch; a program without it says so.
[[nodiscard]] AlignmentReport report_of_model(const std::string& model, const NamedSeries& series);

/// Warps that align kept (diffeo/warps_file.hpp).
[[nodiscard]] AlignmentReport report_of_warps(const std::string& warps, const NamedSeries& series);

/// Series that align, transform or average wrote: as many as `series` are taken for aligned ones, one per class for
/// averages.
[[nodiscard]] AlignmentReport report_of_series(const std::string& result, const NamedSeries& series);

/// FileError unless the series have as many channels as `what` has.
void require_channels(const NamedSeries& series, std::size_t channels, const std::string& what);

}  // namespace diffeo::cli
