// What an alignment did to test series, kept small for the page of results: DIR/pictures/DATASET.json.
//
//   {"dataset", "method", "seed", "options", "length", "classes": [label of each series],
//    "before": [[value, ...], ...], "after": [[...], ...]}               some series, grouped by class, first channel
//
//   * series are taken evenly from the classes, so that small ones are seen; values have three significant digits, and
//     missing ones are null
//   * the same series give the same bytes
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "diffeo/dataset.hpp"
#include "diffeo/evaluation_result.hpp"

namespace diffeo {

/// Equally long, labeled series; those of `after` are those of `before`, warped.
[[nodiscard]] std::string alignment_picture(const WorkItem& item, const Dataset& before, const Dataset& after);

/// Writes it, in place of one that is there. FileAccessError for what the system refuses.
void keep_alignment_picture(const std::filesystem::path& directory, const WorkItem& item, const Dataset& before,
                            const Dataset& after);

/// At most that many cases, as evenly from the classes as can be, class by class.
[[nodiscard]] std::vector<std::size_t> spread_over_classes(const Dataset& set, std::size_t most);

}  // namespace diffeo
