// What arguments of the operators must be like, wherever they are: shapes and precisions, all that can be known without
// values, so that it holds for fake tensors too.
#pragma once

#include <ATen/core/Tensor.h>

#include "tensor_views.hpp"

namespace diffeo::tensors {

inline void check_flow_arguments(const at::Tensor& velocities, const at::Tensor& points, const at::Tensor& time) {
  TORCH_CHECK_VALUE(velocities.dim() == 2, "velocities: expected shape (batch, cells + 1), got ",
                    velocities.sym_sizes());
  TORCH_CHECK_VALUE(points.dim() == 1 || (points.dim() == 2 && points.sym_size(0) == velocities.sym_size(0)),
                    "points: expected shape (n,) or (", velocities.sym_size(0), ", n), got ", points.sym_sizes());
  check_precision("velocities", velocities);
  check_same_precision("points", points, "velocities", velocities);
  check_time(time, velocities.sym_size(0));
}

inline void check_sample_arguments(const at::Tensor& series, const at::Tensor& positions) {
  TORCH_CHECK_VALUE(series.dim() == 3, "series: expected shape (cases, channels, time), got ", series.sym_sizes());
  TORCH_CHECK_VALUE(positions.dim() == 1 || (positions.dim() == 2 && positions.sym_size(0) == series.sym_size(0)),
                    "positions: expected shape (n,) or (", series.sym_size(0), ", n), got ", positions.sym_sizes());
  check_precision("series", series);
  check_same_precision("positions", positions, "series", series);
}

inline void check_warp_arguments(const at::Tensor& series, const at::Tensor& velocities, const at::Tensor& time,
                                 const c10::SymInt& length) {
  TORCH_CHECK_VALUE(series.dim() == 3, "series: expected shape (cases, channels, time), got ", series.sym_sizes());
  TORCH_CHECK_VALUE(velocities.dim() == 2 && velocities.sym_size(0) == series.sym_size(0),
                    "velocities: expected shape (", series.sym_size(0), ", cells + 1), got ", velocities.sym_sizes());
  TORCH_CHECK_VALUE(length >= 1, "length: expected at least 1, got ", length);
  check_precision("series", series);
  check_same_precision("velocities", velocities, "series", series);
  check_time(time, series.sym_size(0));
}

}  // namespace diffeo::tensors
