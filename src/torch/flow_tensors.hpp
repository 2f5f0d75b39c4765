// What diffeo::flow and diffeo::flow_log_slope have in common: from tensors on the CPU to the core and back.
#pragma once

#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include <array>
#include <string>
#include <tuple>
#include <vector>

#include "diffeo/flow.hpp"
#include "operator_checks.hpp"
#include "tensor_views.hpp"

namespace diffeo::tensors {

using FlowGradientTensors = std::tuple<at::Tensor, at::Tensor, at::Tensor>;
using FlowWanted = std::array<bool, 3>;  // velocities, points, time

/// Memory for the result, without values; the arguments are checked.
inline at::Tensor flow_result_shape(const at::Tensor& velocities, const at::Tensor& points, const at::Tensor& time) {
  check_flow_arguments(velocities, points, time);
  return at::empty_symint({velocities.sym_size(0), points.sym_size(-1)}, velocities.options());
}

inline FlowGradientTensors flow_gradient_shapes(const at::Tensor& velocities, const at::Tensor& points,
                                                const at::Tensor& time, FlowWanted wanted) {
  return {like_if(wanted[0], velocities), like_if(wanted[1], points), like_if(wanted[2], time)};
}

/// (batch, n), computed by work(problem, rows); errors name the operator.
template <class Work>
at::Tensor flow_values(const char* name, const at::Tensor& velocities, const at::Tensor& points, const at::Tensor& time,
                       Domain domain, const Work& work) {
  check_flow_arguments(velocities, points, time);
  const at::Tensor fields = velocities.contiguous();
  const at::Tensor grid = points.contiguous();
  const std::vector<double> given_times = times(time);
  at::Tensor values = at::empty({fields.size(0), grid.size(-1)}, fields.options());
  AT_DISPATCH_FLOATING_TYPES(fields.scalar_type(), "diffeo", [&] {
    checked(name, [&] {
      work(FlowProblem<scalar_t>{.velocities = rows<scalar_t>(fields),
                                 .points = rows<scalar_t>(grid),
                                 .times = given_times,
                                 .domain = domain},
           mutable_rows<scalar_t>(values));
    });
  });
  return values;
}

/// The gradients wanted, computed by work(problem, cotangents, gradients).
template <class Work>
FlowGradientTensors flow_gradients(const char* name, const at::Tensor& cotangents, const at::Tensor& velocities,
                                   const at::Tensor& points, const at::Tensor& time, Domain domain, FlowWanted wanted,
                                   const Work& work) {
  const at::Tensor fields = velocities.contiguous();
  const at::Tensor grid = points.contiguous();
  const at::Tensor weights = cotangents.contiguous();
  const std::vector<double> given_times = times(time);
  at::Tensor by_velocities = like_if(wanted[0], fields);
  at::Tensor by_points = like_if(wanted[1], grid);
  at::Tensor by_time = like_if(wanted[2], time);
  std::vector<double> time_gradients(wanted[2] ? given_times.size() : 0);
  AT_DISPATCH_FLOATING_TYPES(fields.scalar_type(), "diffeo", [&] {
    FlowGradients<scalar_t> gradients;
    if (wanted[0]) gradients.velocities = mutable_rows<scalar_t>(by_velocities);
    if (wanted[1]) gradients.points = mutable_rows<scalar_t>(by_points);
    gradients.times = time_gradients;
    checked(name, [&] {
      work(FlowProblem<scalar_t>{.velocities = rows<scalar_t>(fields),
                                 .points = rows<scalar_t>(grid),
                                 .times = given_times,
                                 .domain = domain},
           rows<scalar_t>(weights), gradients);
    });
  });
  if (wanted[2]) copy_times(time_gradients, by_time);
  return {by_velocities, by_points, by_time};
}

}  // namespace diffeo::tensors
