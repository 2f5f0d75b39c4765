// Flow, log-slope, warp and sampling as CUDA's kernels compute them, on memory of the processor, with the signatures of the
// library.
//
// Defined by machine_host.cpp, where the processor runs the bodies of the kernels, and by machine_device.cpp, where a
// GPU runs the kernels. `threads` chooses among things that must not matter: on the processor, the order of threads and
// blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "diffeo/flow.hpp"
#include "diffeo/log_slope.hpp"
#include "diffeo/sample.hpp"
#include "diffeo/warp.hpp"

namespace diffeo::under_test {

template <class Real>
void flow(const FlowProblem<Real>& problem, Rows<Real> positions, std::size_t threads = 0);
template <class Real>
void flow_vjp(const FlowProblem<Real>& problem, Rows<const Real> cotangents, FlowGradients<Real> gradients,
              std::size_t threads = 0);
template <class Real>
void flow_log_slope(const FlowProblem<Real>& problem, Rows<Real> log_slopes, std::size_t threads = 0);
template <class Real>
void flow_log_slope_vjp(const FlowProblem<Real>& problem, Rows<const Real> cotangents, FlowGradients<Real> gradients,
                        std::size_t threads = 0);
template <class Real>
void warp(const WarpProblem<Real>& problem, Series<Real> warped, std::size_t threads = 0);
template <class Real>
void warp_vjp(const WarpProblem<Real>& problem, Series<const Real> cotangents, WarpGradients<Real> gradients,
              std::size_t threads = 0);
template <class Real>
void sample(const SampleProblem<Real>& problem, Series<Real> samples, std::size_t threads = 0);
template <class Real>
void sample_vjp(const SampleProblem<Real>& problem, Series<const Real> cotangents, SampleGradients<Real> gradients,
                std::size_t threads = 0);

template <class Real>
[[nodiscard]] std::vector<Real> flow(const std::vector<Real>& velocities, const std::vector<Real>& points,
                                     double time = 1.0, Domain domain = {}) {
  std::vector<Real> positions(points.size());
  flow<Real>({.velocities = std::span(velocities), .points = std::span(points), .times = {&time, 1}, .domain = domain},
             std::span(positions), 1);
  return positions;
}
template <class Real>
[[nodiscard]] std::vector<Real> flow_log_slope(const std::vector<Real>& velocities, const std::vector<Real>& points,
                                               double time = 1.0, Domain domain = {}) {
  std::vector<Real> log_slopes(points.size());
  flow_log_slope<Real>(
      {.velocities = std::span(velocities), .points = std::span(points), .times = {&time, 1}, .domain = domain},
      std::span(log_slopes), 1);
  return log_slopes;
}
template <class Real>
[[nodiscard]] std::vector<Real> warp(const std::vector<Real>& series, const std::vector<Real>& velocities,
                                     double time = 1.0) {
  std::vector<Real> warped(series.size());
  warp<Real>({.series = {series.data(), 1, 1, series.size()}, .velocities = std::span(velocities), .times = {&time, 1}},
             {warped.data(), 1, 1, warped.size()}, 1);
  return warped;
}

inline constexpr std::uint64_t kSlowness = 250;

/// Nodes of the kernels are regular.
inline constexpr bool kHasGrids = false;

/// Whether exponentials and logarithms are those of the library, so that points that need care have the same bits.
extern const bool kHasTheSameLogarithms;

#define DIFFEO_INSTANTIATE_MACHINE(Real)                                                                          \
  template void flow(const FlowProblem<Real>&, Rows<Real>, std::size_t);                                          \
  template void flow_vjp(const FlowProblem<Real>&, Rows<const Real>, FlowGradients<Real>, std::size_t);           \
  template void flow_log_slope(const FlowProblem<Real>&, Rows<Real>, std::size_t);                                \
  template void flow_log_slope_vjp(const FlowProblem<Real>&, Rows<const Real>, FlowGradients<Real>, std::size_t); \
  template void warp(const WarpProblem<Real>&, Series<Real>, std::size_t);                                        \
  template void warp_vjp(const WarpProblem<Real>&, Series<const Real>, WarpGradients<Real>, std::size_t);         \
  template void sample(const SampleProblem<Real>&, Series<Real>, std::size_t);                                    \
  template void sample_vjp(const SampleProblem<Real>&, Series<const Real>, SampleGradients<Real>, std::size_t);

}  // namespace diffeo::under_test
