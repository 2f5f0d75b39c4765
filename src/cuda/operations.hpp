// Flow, log-slope, warp and sampling on a GPU: the problems of diffeo/flow.hpp, diffeo/log_slope.hpp, diffeo/warp.hpp
// and diffeo/sample.hpp, with every pointer into the memory of the current device.
//
// A call puts its kernels into a stream and returns; it waits for nothing. Memory for what lies between is the
// caller's: the function ..._workspace of the same problem says how many bytes, and it may be freed, in the order of
// the stream, after the call.
//
//   * the formulas are the core's own (one_point.hpp); sums in a fixed order, so the same bits every time
//   * a batch is worked on in passes whose tables fit a GPU's cache; any batch, any number of points, 64-bit indices
//   * std::invalid_argument for shapes that do not fit. Values are not looked at, which would mean to wait: fields,
//     times and points that are not finite give NaN, for themselves alone
//   * std::runtime_error where the device refuses a kernel
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "diffeo/flow.hpp"
#include "diffeo/sample.hpp"
#include "diffeo/warp.hpp"

namespace diffeo::cuda {

template <class Real>
[[nodiscard]] std::size_t flow_workspace(const FlowProblem<Real>& problem);
template <class Real>
void flow(const FlowProblem<Real>& problem, Rows<Real> positions, void* workspace, cudaStream_t stream);

template <class Real>
[[nodiscard]] std::size_t flow_vjp_workspace(const FlowProblem<Real>& problem, const FlowGradients<Real>& gradients);
template <class Real>
void flow_vjp(const FlowProblem<Real>& problem, Rows<const Real> cotangents, const FlowGradients<Real>& gradients,
              void* workspace, cudaStream_t stream);

/// In the workspaces of flow and flow_vjp.
template <class Real>
void flow_log_slope(const FlowProblem<Real>& problem, Rows<Real> log_slopes, void* workspace, cudaStream_t stream);
template <class Real>
void flow_log_slope_vjp(const FlowProblem<Real>& problem, Rows<const Real> cotangents,
                        const FlowGradients<Real>& gradients, void* workspace, cudaStream_t stream);

template <class Real>
[[nodiscard]] std::size_t warp_workspace(const WarpProblem<Real>& problem);
template <class Real>
void warp(const WarpProblem<Real>& problem, Series<Real> warped, void* workspace, cudaStream_t stream);

template <class Real>
[[nodiscard]] std::size_t warp_vjp_workspace(const WarpProblem<Real>& problem, std::size_t length,
                                             const WarpGradients<Real>& gradients);
template <class Real>
void warp_vjp(const WarpProblem<Real>& problem, Series<const Real> cotangents, const WarpGradients<Real>& gradients,
              void* workspace, cudaStream_t stream);

/// On regular nodes: a problem with a grid is refused.
template <class Real>
void sample(const SampleProblem<Real>& problem, Series<Real> samples, cudaStream_t stream);
template <class Real>
[[nodiscard]] std::size_t sample_vjp_workspace(const SampleProblem<Real>& problem,
                                               const SampleGradients<Real>& gradients);
template <class Real>
void sample_vjp(const SampleProblem<Real>& problem, Series<const Real> cotangents,
                const SampleGradients<Real>& gradients, void* workspace, cudaStream_t stream);

}  // namespace diffeo::cuda
