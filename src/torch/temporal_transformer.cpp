#include "diffeo/torch/temporal_transformer.hpp"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>
#include <string>

#include "diffeo/torch/network_input.hpp"

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

void check_positive(const char* name, double value) {
  TORCH_CHECK_VALUE(std::isfinite(value) && value > 0.0, name, ": expected a positive number, got ", value);
}

/// Whether any series ends before the last step; on a GPU, which one would have to wait for, any may.
bool may_be_padded(const at::Tensor& series) {
  if (series.dim() != 3 || series.size(2) <= 1) return false;
  return !series.is_cpu() || series.select(2, -1).isnan().all(1).any().item<bool>();
}

/// Series read at positions in their own duration, which padding does not belong to.
at::Tensor read_own_time(const at::Tensor& series, const at::Tensor& positions) {
  if (!may_be_padded(series)) return sample(series, positions);
  const at::Tensor last = (lengths_without_padding(series) - 1).to(series.scalar_type());
  return sample(series, positions * (last / static_cast<double>(series.size(2) - 1)).unsqueeze(1));
}

}  // namespace

TemporalTransformer::TemporalTransformer(std::int64_t channels, std::int64_t length, const TransformerOptions& options)
    : length_(length), options_(options) {
  TORCH_CHECK_VALUE(options.layers >= 1, "layers: expected at least 1, got ", options.layers);
  TORCH_CHECK_VALUE(options.cells >= (options.zero_boundary ? 2 : 1), "cells: expected at least ",
                    options.zero_boundary ? 2 : 1, ", got ", options.cells);
  check_positive("velocity_scale", options.velocity_scale);
  check_positive("horizon", options.horizon);
  TORCH_CHECK_VALUE(options.method_steps >= (options.method == FlowMethod::numeric ? 1 : 0),
                    "method_steps: expected at least ", options.method == FlowMethod::numeric ? 1 : 0, ", got ",
                    options.method_steps);
  const WarpSpace space(static_cast<std::size_t>(options.cells), options.zero_boundary, options.basis);
  vertex_basis_ = register_buffer("vertex_basis", basis_tensor(space));
  const std::int64_t nets = options.shared_layers ? 1 : options.layers;
  for (std::int64_t layer = 0; layer < nets; ++layer) {
    nets_.push_back(register_module(
        "layer" + std::to_string(layer),
        make_localization_net(options.localization, channels, length, static_cast<std::int64_t>(space.dimension()))));
  }
}

void TemporalTransformer::set_generator(const std::optional<at::Generator>& generator) {
  for (const auto& net : nets_) net->set_generator(generator);
}

void TemporalTransformer::set_group(const Group& group) {
  for (const auto& net : nets_) net->set_group(group);
}

void TemporalTransformer::set_rows(const BatchRows& rows) {
  for (const auto& net : nets_) net->set_rows(rows);
}

void initialize(TemporalTransformer& transformer, Initialization scheme, const at::Generator& generator) {
  for (const auto& net : transformer.nets_) initialize(*net, scheme, generator);
}

at::Tensor TemporalTransformer::grid(std::int64_t length) const {
  return at::linspace(0.0, 1.0, length, vertex_basis_.options());
}

at::Tensor TemporalTransformer::flowed(const at::Tensor& velocities, const at::Tensor& points, double time) const {
  return flow(velocities, points, time_tensor(options_.horizon * time), 0.0, 1.0, options_.method,
              options_.method_steps);
}

/// phi_1(phi_2(... phi_l(points))), of the layers given.
at::Tensor TemporalTransformer::composed(const std::vector<at::Tensor>& velocities, at::Tensor points,
                                         double time) const {
  for (const at::Tensor& field : std::views::reverse(velocities)) points = flowed(field, points, time);
  return points;
}

/// Series in their own time, read along the layers given.
at::Tensor TemporalTransformer::read(const at::Tensor& series, const std::vector<at::Tensor>& velocities,
                                     double time) const {
  if (velocities.size() == 1 && !may_be_padded(series)) return resampled(series, velocities.front(), time);
  return read_own_time(series, composed(velocities, grid(length_), time));
}

/// Series without padding, read along one more layer.
at::Tensor TemporalTransformer::resampled(const at::Tensor& series, const at::Tensor& velocities, double time) const {
  if (options_.method == FlowMethod::exact) {
    return warp(series, velocities, time_tensor(options_.horizon * time), length_);
  }
  return sample(series, flowed(velocities, grid(length_), time));
}

Transformed TemporalTransformer::forward(const at::Tensor& series, double time,
                                         const std::optional<at::Tensor>& labels) {
  const bool composes = options_.composition == Composition::compose;
  const at::Tensor complete = network_input(series, length_);
  at::Tensor seen = complete;  // by the next network
  Transformed result;
  for (std::int64_t layer = 0; layer < options_.layers; ++layer) {
    const bool is_last = layer + 1 == options_.layers;
    const auto& net = nets_[options_.shared_layers ? 0 : static_cast<std::size_t>(layer)];
    const auto [theta, evidence] = net->localize(seen, labels);
    result.thetas.push_back(theta);
    result.velocities.push_back(options_.velocity_scale * theta.matmul(vertex_basis_.t()));
    if (evidence.defined()) result.evidence.push_back(evidence);
    if (composes) {
      if (!is_last) seen = read(complete, result.velocities, time);
    } else {
      result.aligned = layer == 0 ? read(series, result.velocities, time)
                                  : resampled(result.aligned, result.velocities.back(), time);
      if (!is_last) seen = network_input(result.aligned, length_);
    }
  }
  if (composes) result.aligned = read(series, result.velocities, time);
  return result;
}

void TemporalTransformer::check_layers(const std::vector<at::Tensor>& velocities) const {
  TORCH_CHECK_VALUE(static_cast<std::int64_t>(velocities.size()) == options_.layers, "velocities: expected ",
                    options_.layers, " layers, got ", velocities.size());
}

at::Tensor TemporalTransformer::apply(const at::Tensor& series, const std::vector<at::Tensor>& velocities,
                                      double time) const {
  check_layers(velocities);
  if (options_.composition == Composition::compose) return read(series, velocities, time);
  at::Tensor warped = read(series, {velocities.front()}, time);
  for (const at::Tensor& field : velocities | std::views::drop(1)) warped = resampled(warped, field, time);
  return warped;
}

at::Tensor TemporalTransformer::positions(const std::vector<at::Tensor>& velocities, const at::Tensor& points,
                                          double time) const {
  check_layers(velocities);
  return composed(velocities, points, time);
}

/// By the chain rule: every layer's own at the points that the later layers lead to, summed.
at::Tensor TemporalTransformer::log_slopes(const std::vector<at::Tensor>& velocities, const at::Tensor& points,
                                           double time) const {
  check_layers(velocities);
  TORCH_CHECK_VALUE(options_.method == FlowMethod::exact, "method: expected exact where slopes of warps are needed");
  at::Tensor there = points;
  at::Tensor sum;
  for (const at::Tensor& field : std::views::reverse(velocities)) {
    const at::Tensor own = flow_log_slope(field, there, time_tensor(options_.horizon * time));
    sum = sum.defined() ? sum + own : own;
    there = flowed(field, there, time);
  }
  return sum;
}

at::Tensor TemporalTransformer::inverse_positions(const std::vector<at::Tensor>& velocities, const at::Tensor& points,
                                                  double time) const {
  check_layers(velocities);
  at::Tensor result = points;
  for (const at::Tensor& field : velocities) result = flowed(field, result, -time);
  return result;
}

at::Tensor TemporalTransformer::inverse(const at::Tensor& aligned, const std::vector<at::Tensor>& velocities,
                                        std::int64_t length, double time,
                                        const std::optional<at::Tensor>& lengths) const {
  if (!lengths) return sample(aligned, inverse_positions(velocities, grid(length), time));
  TORCH_CHECK_VALUE(lengths->dim() == 1 && lengths->size(0) == aligned.size(0), "lengths: expected shape (",
                    aligned.size(0), ",), got ", lengths->sizes());
  const at::Tensor last = (lengths->unsqueeze(1) - 1).clamp_min(0);
  const at::Tensor step = at::arange(length, lengths->options());
  // A series of one step is at its start.
  const at::Tensor points = (step / last.clamp_min(1).to(vertex_basis_.scalar_type())).clamp_max(1.0);
  const at::Tensor back = sample(aligned, inverse_positions(velocities, points, time));
  return back.masked_fill((step > last).unsqueeze(1), std::numeric_limits<double>::quiet_NaN());
}

}  // namespace diffeo
