// In which piece a point is.
#pragma once

#include "core/kernels/field_table.hpp"
#include "core/kernels/lanes.hpp"

namespace diffeo::kernels::DIFFEO_TARGET {

/// The piece that holds `point` (relative to the origin): the last whose `from` is not right of it.
template <class Real>
DIFFEO_INLINE std::uint32_t piece_of_point(const FieldTable& table, Real point) {
  const double wanted = static_cast<double>(point);
  std::size_t low = 0;
  std::size_t length = table.piece_count;
  while (length > 1) {  // without branches: the points come in no order a branch could be predicted from
    const std::size_t half = length / 2;
    low = table.pieces[low + half].from <= wanted ? low + half : low;
    length -= half;
  }
  return static_cast<std::uint32_t>(low);
}

}  // namespace diffeo::kernels::DIFFEO_TARGET
