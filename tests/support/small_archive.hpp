// Archives of a few small data sets, to evaluate on.
#pragma once

#include <filesystem>
#include <string>

#include "diffeo/files.hpp"
#include "diffeo/generate.hpp"

namespace diffeo::testing {

inline constexpr std::size_t kSmallLength = 32;

/// A data set NAME of cylinder, bell and funnel.
inline void add_small_set(const std::filesystem::path& archive, const std::string& name, std::uint64_t seed) {
  std::filesystem::create_directories(archive / name);
  write_dataset(archive / name / (name + "_TRAIN.tsv"), generate_cbf(12, seed, kSmallLength));
  write_dataset(archive / name / (name + "_TEST.tsv"), generate_cbf(9, seed + 1, kSmallLength));
}

}  // namespace diffeo::testing
