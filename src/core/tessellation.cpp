#include "diffeo/tessellation.hpp"

#include <cmath>

#include "diffeo/error.hpp"

namespace diffeo {

Tessellation::Tessellation(std::size_t cells, double lower, double upper)
    : cells_(cells), lower_(lower), upper_(upper) {
  require(cells >= 1 && cells <= kMaximumCells, "cells: expected 1 to ", kMaximumCells, ", got ", cells);
  require(std::isfinite(lower) && std::isfinite(upper) && lower < upper && std::isfinite(upper - lower),
          "domain: expected finite lower < upper, got (", lower, ", ", upper, ")");
}

}  // namespace diffeo
