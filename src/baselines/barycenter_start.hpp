// The series an average starts from when the caller brings one, and the length it will have.
#pragma once

#include <cstddef>
#include <vector>

#include "diffeo/dataset.hpp"
#include "diffeo/error.hpp"

namespace diffeo {

/// The length of the average: the one asked for, else that of `initial`, else the longest case's.
[[nodiscard]] inline std::size_t barycenter_length(const Dataset& cases, std::size_t asked,
                                                   const std::vector<double>& initial) {
  require(!cases.empty(), "cases: expected at least one, got none");
  if (initial.empty()) return asked > 0 ? asked : cases.longest();
  require(initial.size() % cases.channels() == 0, "initial: expected a multiple of ", cases.channels(),
          " values, one row per channel, got ", initial.size());
  const std::size_t length = initial.size() / cases.channels();
  require(asked == 0 || asked == length, "initial: expected ", asked, " samples, the length asked for, got ", length);
  return length;
}

}  // namespace diffeo
