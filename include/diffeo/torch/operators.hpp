// The flow, its log-slope, the sampler and the warp as functions of tensors, differentiable in every tensor argument.
//
// Registered with torch's dispatcher as diffeo::flow, diffeo::flow_log_slope, diffeo::sample and diffeo::warp (and their
// backward), so that they are the same operators from C++, from Python (torch.ops.diffeo) and in a compiled graph. On
// the CPU they call the core (diffeo/flow.hpp, diffeo/log_slope.hpp, diffeo/sample.hpp, diffeo/warp.hpp) on the tensors'
// own memory; only a tensor that is not contiguous is copied.
//
//   velocities   (batch, cells + 1)
//   points       (n) for the whole batch, or (batch, n)
//   time         () for the whole batch, or (batch)
//   series       (cases, channels, time)
//
//   * float32 or float64, the same for all arguments but time, which may be of either
//   * gradients have the shape of their argument; those of a shared argument are summed over the batch
//   * as many threads as at::get_num_threads() says; the same bits for any number
//   * approximations of the flow, to compare with: diffeo/numeric_flow.hpp and diffeo/scaling_squaring.hpp; their
//     gradients are those of the discrete schemes
//   * differentiable once: the gradient of a gradient is an error that says so
//   * c10::Error (in Python ValueError, TypeError or RuntimeError) for other shapes, precisions and devices, and for
//     values that are not finite
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>

namespace diffeo {

/// In closed form; by Runge-Kutta steps of order 4; by scaling and squaring on the points themselves.
enum class FlowMethod { exact, numeric, scaling_squaring };

/// exact, numeric, scaling-squaring: as the operator and people call them.
[[nodiscard]] std::string_view flow_method_name(FlowMethod method) noexcept;
/// The method of that name; std::invalid_argument lists the names there are.
[[nodiscard]] FlowMethod flow_method_from_name(std::string_view name);

/// (batch, n): phi_i(points_ij, time_i), the domain being [lower, upper]. `steps` are those of numeric, from 1, or the
/// squarings of scaling_squaring, from 0; exact needs none.
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
