#include "diffeo/torch/network_input.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <tuple>

#include "diffeo/torch/operators.hpp"
#include "tensor_views.hpp"

namespace diffeo {
namespace {

void check_series(const at::Tensor& series) {
  TORCH_CHECK_VALUE(series.dim() == 3 && series.size(2) >= 1,
                    "series: expected shape (cases, channels, time), at least one step, got ", series.sizes());
  tensors::check_precision("series", series);
}

/// Gaps filled from the present neighbors on both sides, or from the one there is.
at::Tensor without_gaps(const at::Tensor& series) {
  const std::int64_t steps = series.size(2);
  const at::Tensor present = series.isnan().logical_not();
  const at::Tensor step = at::arange(steps, series.options().dtype(at::kLong));
  const at::Tensor before = std::get<0>(at::where(present, step, -1).cummax(2));
  const at::Tensor after = std::get<0>(at::where(present, step, steps).flip({2}).cummin(2)).flip({2});
  // At the ends one neighbor stands for both; where there is none at all, the zero put in below.
  const at::Tensor left = at::where(before >= 0, before, after).clamp(0, steps - 1);
  const at::Tensor right = at::where(after < steps, after, before).clamp(0, steps - 1);
  const at::Tensor values = at::where(present, series, at::zeros({}, series.options()));
  const at::Tensor left_value = values.gather(2, left);
  const at::Tensor right_value = values.gather(2, right);
  const at::Tensor fraction = (step - left).to(series.scalar_type()) / (right - left).clamp_min(1);
  return left_value + (right_value - left_value) * fraction;
}

/// Known to have no gap and no padding. Of series on a GPU one would have to wait to know; read along all steps, they
/// come out as they are.
bool is_complete(const at::Tensor& series) { return series.is_cpu() && !series.isnan().any().item<bool>(); }

}  // namespace

at::Tensor lengths_without_padding(const at::Tensor& series) {
  check_series(series);
  const at::Tensor present = series.isnan().logical_not().any(1);  // (cases, time)
  const at::Tensor step = at::arange(1, series.size(2) + 1, series.options().dtype(at::kLong));
  return (present * step).amax(1).clamp_min(1);
}

at::Tensor network_input(const at::Tensor& series, std::int64_t length) {
  check_series(series);
  TORCH_CHECK_VALUE(length >= 1, "length: expected at least 1, got ", length);
  const std::int64_t steps = series.size(2);
  if (steps == length && is_complete(series)) return series;
  const at::Tensor grid = at::linspace(0.0, 1.0, length, series.options());
  // Positions count from 0 to 1 over all steps; a series that ends earlier is read over its part only.
  const at::Tensor last = (lengths_without_padding(series) - 1).to(series.scalar_type());
  const double whole = static_cast<double>(std::max<std::int64_t>(steps - 1, 1));
  return sample(without_gaps(series), (last / whole).unsqueeze(1) * grid.unsqueeze(0));
}

}  // namespace diffeo
