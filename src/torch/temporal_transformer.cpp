#include "diffeo/torch/temporal_transformer.hpp"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <ranges>
#include <string>

#include "diffeo/torch/network_input.hpp"
#include "diffeo/torch/operators.hpp"

namespace diffeo {
namespace {

at::Tensor basis_tensor(const WarpSpace& space) {
  const Matrix basis = space.vertex_basis();
  const at::Tensor doubles =
      at::empty({static_cast<std::int64_t>(basis.rows()), static_cast<std::int64_t>(basis.columns())}, at::kDouble);
  std::ranges::copy(basis.values(), doubles.mutable_data_ptr<double>());
  return doubles.to(at::kFloat);
}

at::Tensor time_tensor(double time) { return at::full({}, time, at::kDouble); }

/// phi_1(phi_2(... phi_L(points))).
at::Tensor composed(const std::vector<at::Tensor>& velocities, at::Tensor points, double time) {
  for (const at::Tensor& field : std::views::reverse(velocities)) points = flow(field, points, time_tensor(time));
  return points;
}

/// Series read at positions in their own duration, which padding does not belong to.
at::Tensor read_own_time(const at::Tensor& series, const at::Tensor& positions) {
  const std::int64_t steps = series.size(2);
  const at::Tensor lengths = lengths_without_padding(series);
  if (steps == 1 || (lengths == steps).all().item<bool>()) return sample(series, positions);
  const at::Tensor last = (lengths - 1).to(series.scalar_type()) / static_cast<double>(steps - 1);
  return sample(series, positions * last.unsqueeze(1));
}

}  // namespace

TemporalTransformer::TemporalTransformer(std::int64_t channels, std::int64_t length, const TransformerOptions& options)
    : length_(length), options_(options) {
  TORCH_CHECK_VALUE(options.layers >= 1, "layers: expected at least 1, got ", options.layers);
  TORCH_CHECK_VALUE(options.cells >= (options.zero_boundary ? 2 : 1), "cells: expected at least ",
                    options.zero_boundary ? 2 : 1, ", got ", options.cells);
  TORCH_CHECK_VALUE(std::isfinite(options.velocity_scale) && options.velocity_scale > 0.0,
                    "velocity_scale: expected a positive number, got ", options.velocity_scale);
  const WarpSpace space(static_cast<std::size_t>(options.cells), options.zero_boundary, options.basis);
  vertex_basis_ = register_buffer("vertex_basis", basis_tensor(space));
  const std::int64_t nets = options.shared_layers ? 1 : options.layers;
  for (std::int64_t layer = 0; layer < nets; ++layer) {
    nets_.push_back(register_module(
        "layer" + std::to_string(layer),
        make_localization_net(options.localization, channels, length, static_cast<std::int64_t>(space.dimension()))));
  }
}

at::Tensor TemporalTransformer::grid(std::int64_t length) const {
  return at::linspace(0.0, 1.0, length, vertex_basis_.options());
}

Transformed TemporalTransformer::forward(const at::Tensor& series, double time) {
  const bool composes = options_.composition == Composition::compose;
  const at::Tensor complete = network_input(series, length_);
  at::Tensor seen = complete;  // by the next network
  Transformed result;
  for (std::int64_t layer = 0; layer < options_.layers; ++layer) {
    const at::Tensor theta = nets_[options_.shared_layers ? 0 : static_cast<std::size_t>(layer)]->forward(seen);
    result.thetas.push_back(theta);
    result.velocities.push_back(options_.velocity_scale * theta.matmul(vertex_basis_.t()));
    result.positions = composed(result.velocities, grid(length_), time);
    if (composes) {
      if (layer + 1 < options_.layers) seen = sample(complete, result.positions);
    } else {
      result.aligned = layer == 0 ? read_own_time(series, result.positions)
                                  : warp(result.aligned, result.velocities.back(), time_tensor(time), length_);
      seen = network_input(result.aligned, length_);
    }
  }
  if (composes) result.aligned = read_own_time(series, result.positions);
  return result;
}

at::Tensor TemporalTransformer::inverse(const at::Tensor& aligned, const std::vector<at::Tensor>& velocities,
                                        std::int64_t length, double time) const {
  TORCH_CHECK_VALUE(static_cast<std::int64_t>(velocities.size()) == options_.layers, "velocities: expected ",
                    options_.layers, " layers, got ", velocities.size());
  at::Tensor positions = grid(length);
  for (const at::Tensor& field : velocities) positions = flow(field, positions, time_tensor(-time));
  return sample(aligned, positions);
}

}  // namespace diffeo
