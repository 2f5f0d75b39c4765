// The warps of an alignment in one file, for whoever wants to look at them later: `diffeo align --warps`, the report.
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
//   * every bit of the numbers comes back
//   * FileError (diffeo/file_error.hpp) for a file that holds no warps, was damaged or comes from a newer diffeo
//   * writing goes to a file beside, which takes the name when it is complete: a failure leaves what was there
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

/// The metadata by which such a file is known.
inline constexpr const char* kWarpsFileKey = "diffeo_warps";

struct WarpsFile {
  std::string source;  ///< the file of the series, as it was called
  double lower = 0.0;  ///< of the time axis
  double upper = 1.0;
  std::map<std::string, std::string> options;  ///< by name, as people type them
  Matrix velocities;                           ///< (cases, cells + 1)
  Dataset means;                               ///< one per class, labelled; a single one without labels otherwise
  std::vector<std::vector<double>> history;    ///< the costs of every mean, step by step
  std::vector<double> variance_before;         ///< of every mean's series, on one grid
  std::vector<double> variance;                ///< of the same after alignment
};

/// The names under which the options of an alignment are kept, and their values.
[[nodiscard]] std::map<std::string, std::string> option_texts(const AlignOptions& options);

/// What an alignment found, without a source.
[[nodiscard]] WarpsFile warps_of(const Alignment& alignment, const AlignOptions& options);

[[nodiscard]] WarpsFile read_warps_file(const std::filesystem::path& path);

/// std::invalid_argument, before anything is written, for parts that do not fit each other or numbers that are not
/// finite.
void write_warps_file(const std::filesystem::path& path, const WarpsFile& warps);

}  // namespace diffeo
