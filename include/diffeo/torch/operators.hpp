// The flow, its log-slope, the sampler and the warp as functions of tensors, differentiable in every tensor argument.
//
// Registered with torch's dispatcher as diffeo_cpp::flow, diffeo_cpp::flow_log_slope, diffeo_cpp::sample and
// diffeo_cpp::warp (and their backward). On the CPU they call the core (diffeo/flow.hpp, diffeo/log_slope.hpp,
// diffeo/sample.hpp, diffeo/warp.hpp) on the tensors' own memory; only non-contiguous tensors are copied. Python's
// torch.ops.diffeo are other operators with the same signatures (python/diffeo/torch/_kernels.py): both may be loaded
// in one process.
//
//   velocities   (batch, cells + 1)
//   points       (n) for the whole batch, or (batch, n)
//   time         () for the whole batch, or (batch)
//   series       (cases, channels, time)
//
//   * float32 or float64, the same for all arguments except time, which may be either
//   * gradients have the shape of their argument; those of a shared argument are summed over the batch
//   * uses at::get_num_threads() threads; bit-identical for any number
//   * approximations of the flow, for comparison: diffeo/numeric_flow.hpp and diffeo/scaling_squaring.hpp; their
//     gradients are those of the discrete schemes
//   * differentiable once: the gradient of a gradient is an error that says so
//   * c10::Error (in Python ValueError, TypeError or RuntimeError) for other shapes, precisions and devices, and for
//     non-finite values
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>

namespace diffeo {

/// Closed form; Runge-Kutta steps of order 4; scaling and squaring on the points themselves.
enum class FlowMethod { exact, numeric, scaling_squaring };

/// exact, numeric, scaling-squaring: the names used by the operator and in options.
[[nodiscard]] std::string_view flow_method_name(FlowMethod method) noexcept;
/// The method with that name; std::invalid_argument lists the valid names.
[[nodiscard]] FlowMethod flow_method_from_name(std::string_view name);

/// (batch, n): phi_i(points_ij, time_i) on the domain [lower, upper]. `steps`: for numeric the steps, from 1; for
/// scaling_squaring the squarings, from 0; unused for exact.
[[nodiscard]] at::Tensor flow(const at::Tensor& velocities, const at::Tensor& points, const at::Tensor& time,
                              double lower = 0.0, double upper = 1.0, FlowMethod method = FlowMethod::exact,
                              std::int64_t steps = 0);

/// (batch, n): log d phi_i(x, time_i) / d x at x = points_ij (diffeo/log_slope.hpp).
[[nodiscard]] at::Tensor flow_log_slope(const at::Tensor& velocities, const at::Tensor& points, const at::Tensor& time,
                                        double lower = 0.0, double upper = 1.0);

/// (cases, channels, n): series_i read at positions_ij in [0, 1] by linear interpolation (diffeo/sample.hpp).
/// positions: (n) for all cases, or (cases, n).
[[nodiscard]] at::Tensor sample(const at::Tensor& series, const at::Tensor& positions);

/// (cases, channels, length): series_i(phi_i(j / (length - 1), time_i)).
[[nodiscard]] at::Tensor warp(const at::Tensor& series, const at::Tensor& velocities, const at::Tensor& time,
                              std::int64_t length);

}  // namespace diffeo
