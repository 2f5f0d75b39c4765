// The part of a file of series that one process of a group keeps.
//
//   Dataset own = read_share("train.tsv", {}, group);    // cases rank, rank + size, rank + 2 size, ...
//
// Every process reads the whole file and keeps only its own cases, so the memory is divided and no series is
// ever sent. Every process knows all classes of the file, in their order. TemporalAligner::fit with the same
// group then sees the cases in the order of the file.
//
//   * without a group, the same as read_dataset
//   * errors as in diffeo/files.hpp; FileError if the processes find different series
#pragma once

#include <filesystem>

#include "diffeo/dataset.hpp"
#include "diffeo/files.hpp"
#include "diffeo/torch/group.hpp"

namespace diffeo {

[[nodiscard]] Dataset read_share(const std::filesystem::path& path, const ReadOptions& options, const Group& group);

}  // namespace diffeo
