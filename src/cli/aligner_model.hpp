// A fitted aligner from a file: of `diffeo align --model` without a network, or of `diffeo fit` with one.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "diffeo/warping_aligner.hpp"

namespace diffeo::cli {

struct AlignerModel {
  std::shared_ptr<const WarpingAligner> aligner;  ///< works on one thread
  std::size_t channels = 0;
  std::size_t length = 0;  ///< of aligned series
};

/// FileError for a file that is no model; for one with a network, without libtorch, std::runtime_error that says so,
/// after `verb`.
[[nodiscard]] AlignerModel load_aligner(const std::string& verb, const std::string& path);

/// The same, of one with a network.
[[nodiscard]] AlignerModel load_network(const std::string& verb, const std::string& path);

}  // namespace diffeo::cli
