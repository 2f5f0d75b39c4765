// A temporal aligner as one file: safetensors with a description in its header.
//
//   tensors     members/N/...          weights and buffers of network N, by torch's names; among them vertex_basis, W
//               members/N/normalization/mean, scale   (features of N)
//               centroids              (classes, channels, length)
//               comparison_centroids   (classes, what is compared, length)
//               unwarped_centroids     (classes, channels, length)
//               normalization/mean     (channels)
//               normalization/scale    (channels)
//               offsets/L              (cells + 1), taken off the velocities of layer L: `centered` only
//               history                (epochs, columns)
//   metadata    format                 "diffeo temporal aligner"
//               model                  JSON: format_version, diffeo (the version that wrote it), seed, shrinkage,
//                                      comparison_scales, slopes (smoothing and size), channels, length, tessellation, options, class_names, history_columns
//               digest                 SHA-256 of everything else in the file (diffeo/tensor_file.hpp)
//
// A reader refuses what it does not know: another format, a newer format_version, a digest that does not fit, tensors
// missing or of another shape than the options ask for, values out of range or not finite. Nothing is built before the
// digest fits, and no network for which the file has too few numbers: reading costs a small multiple of the file's size.
// The digest notices damage, not malice: anybody can compute it (docs/guide/trust.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "diffeo/training_options.hpp"
#include "temporal_model.hpp"

namespace diffeo {

struct StoredAligner {
  TrainingOptions options;
  std::uint64_t seed = 0;
  std::shared_ptr<const TemporalAligner::Model> model;
};

void write_model_file(const std::filesystem::path& path, const StoredAligner& aligner);
/// FileError for everything that is wrong with the file.
[[nodiscard]] StoredAligner read_model_file(const std::filesystem::path& path);

}  // namespace diffeo
