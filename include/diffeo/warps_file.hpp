// The warps of an alignment in one file, for later use: written by `diffeo align --warps`, read by the report.
//
// A safetensors file (diffeo/tensor_file.hpp):
//
//   tensors     velocities    F64 (cases, cells + 1): the flow at time 1 takes common time to each series' own
//               means         F64 (classes, channels, length), or (1, channels, length) without labels
//   metadata    diffeo_warps  JSON: version, source, classes, domain, options, history, variance_before, variance
//
//   WarpsFile warps = warps_of(align(series, options), options);
//   warps.source = "gestures.ts";
//   write_warps_file("gestures.warps", warps);
//
//   * numbers are stored bit for bit
//   * FileError (diffeo/file_error.hpp) for a file that holds no warps, is damaged or comes from a newer diffeo
//   * writing uses a temporary file that is renamed when complete, so a failure leaves the old file
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "diffeo/align.hpp"
#include "diffeo/align_options.hpp"
#include "diffeo/dataset.hpp"
#include "diffeo/matrix.hpp"

namespace diffeo {

/// The metadata that identifies such a file.
inline constexpr const char* kWarpsFileKey = "diffeo_warps";

struct WarpsFile {
  std::string source;  ///< the file of the series, as given
  double lower = 0.0;  ///< of the time axis
  double upper = 1.0;
  std::map<std::string, std::string> options;  ///< by name, as on the command line
  Matrix velocities;                           ///< (cases, cells + 1)
  Dataset means;                               ///< one per class, labeled; without labels a single one
  std::vector<std::vector<double>> history;    ///< the cost of every mean, step by step
  std::vector<double> variance_before;         ///< of every mean's series, on one grid
  std::vector<double> variance;                ///< of the same after alignment
};

/// The options of an alignment under the names used in the file, and their values.
[[nodiscard]] std::map<std::string, std::string> option_texts(const AlignOptions& options);

/// The result of an alignment, without a source.
[[nodiscard]] WarpsFile warps_of(const Alignment& alignment, const AlignOptions& options);

[[nodiscard]] WarpsFile read_warps_file(const std::filesystem::path& path);

/// std::invalid_argument, before anything is written, for mismatched parts and non-finite
/// numbers.
void write_warps_file(const std::filesystem::path& path, const WarpsFile& warps);

}  // namespace diffeo
