// The refusal of dense matrices that would not fit a reasonable memory (kMaximumDenseCells).
#pragma once

#include <cmath>
#include <cstddef>

#include "diffeo/constraints.hpp"
#include "diffeo/error.hpp"

namespace diffeo {

/// Throws std::invalid_argument, naming the memory that `doubles` numbers take, above kMaximumDenseCells
/// cells.
inline void require_dense_cells(std::size_t cells, const char* what, double doubles) {
  const double gibibytes = std::round(doubles * 8.0 / (1024.0 * 1024.0 * 1024.0) * 100.0) / 100.0;
  require(cells <= kMaximumDenseCells, "cells: expected at most ", kMaximumDenseCells, " for ", what, ", got ", cells,
          ", which would need ", gibibytes, " GiB");
}

}  // namespace diffeo
