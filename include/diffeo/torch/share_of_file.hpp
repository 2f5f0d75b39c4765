// What one process of a group keeps of a file of series.
//
//   Dataset own = read_share("train.tsv", {}, group);    // cases rank, rank + size, rank + 2 size, ...
//
// Every process reads through the file and keeps its own cases alone, so that the memory for series is shared out and
// none are ever sent. All classes of the file are known everywhere, in their order. TemporalAligner::fit with the same
// group then has the cases in the order of the file.
//
//   * alone, it is read_dataset
//   * errors as in diffeo/files.hpp; FileError where processes do not find the same series
#pragma once

#include <filesystem>

#include "diffeo/dataset.hpp"
#include "diffeo/files.hpp"
#include "diffeo/torch/group.hpp"

namespace diffeo {

[[nodiscard]] Dataset read_share(const std::filesystem::path& path, const ReadOptions& options, const Group& group);

}  // namespace diffeo
