#include "core/careful_point.hpp"

#include "core/careful_formulas.hpp"
#include "core/log_slope_formulas.hpp"

namespace diffeo {

PointFlow flow_point(const kernels::FieldTable& table, const kernels::Piece& piece, double point,
                     double relative) noexcept {
  return careful::flow_point(table, piece, point, relative);
}

CrossingSensitivity crossing_sensitivity(const kernels::FieldTable& table, std::size_t cell) noexcept {
  return careful::crossing_sensitivity(table, cell);
}

PointFlow log_slope_point(const kernels::FieldTable& table, const kernels::Piece& piece, double relative) noexcept {
  return careful::log_slope_point(table, piece, relative);
}

}  // namespace diffeo
