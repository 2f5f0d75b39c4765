#include "cuda/device_launcher.cuh"
#include "cuda/drive_flow.hpp"
#include "cuda/drive_warp.hpp"
#include "cuda/operations.hpp"

namespace diffeo::cuda {

template <class Real>
std::size_t flow_workspace(const FlowProblem<Real>& problem) {
  return flow_bytes(problem);
}
template <class Real>
void flow(const FlowProblem<Real>& problem, Rows<Real> positions, void* workspace, cudaStream_t stream) {
  drive_flow(DeviceLauncher(stream), problem, positions, Arena(workspace));
}

template <class Real>
std::size_t flow_vjp_workspace(const FlowProblem<Real>& problem, const FlowGradients<Real>& gradients) {
  return flow_vjp_bytes(problem, gradients);
}
template <class Real>
void flow_vjp(const FlowProblem<Real>& problem, Rows<const Real> cotangents, const FlowGradients<Real>& gradients,
              void* workspace, cudaStream_t stream) {
  drive_flow_vjp(DeviceLauncher(stream), problem, cotangents, gradients, Arena(workspace));
}

template <class Real>
void flow_log_slope(const FlowProblem<Real>& problem, Rows<Real> log_slopes, void* workspace, cudaStream_t stream) {
  drive_flow<math::LogSlopes>(DeviceLauncher(stream), problem, log_slopes, Arena(workspace));
}
template <class Real>
void flow_log_slope_vjp(const FlowProblem<Real>& problem, Rows<const Real> cotangents,
                        const FlowGradients<Real>& gradients, void* workspace, cudaStream_t stream) {
  drive_flow_vjp<math::LogSlopes>(DeviceLauncher(stream), problem, cotangents, gradients, Arena(workspace));
}

template <class Real>
std::size_t warp_workspace(const WarpProblem<Real>& problem) {
  return warp_bytes(problem);
}
template <class Real>
void warp(const WarpProblem<Real>& problem, Series<Real> warped, void* workspace, cudaStream_t stream) {
  drive_warp(DeviceLauncher(stream), problem, warped, Arena(workspace));
}

template <class Real>
std::size_t warp_vjp_workspace(const WarpProblem<Real>& problem, std::size_t length,
                               const WarpGradients<Real>& gradients) {
  return warp_vjp_bytes(problem, length, gradients);
}
template <class Real>
void warp_vjp(const WarpProblem<Real>& problem, Series<const Real> cotangents, const WarpGradients<Real>& gradients,
              void* workspace, cudaStream_t stream) {
  drive_warp_vjp(DeviceLauncher(stream), problem, cotangents, gradients, Arena(workspace));
}

template <class Real>
void sample(const SampleProblem<Real>& problem, Series<Real> samples, cudaStream_t stream) {
  drive_sample(DeviceLauncher(stream), problem, samples);
}
template <class Real>
std::size_t sample_vjp_workspace(const SampleProblem<Real>& problem, const SampleGradients<Real>& gradients) {
  return sample_vjp_bytes(problem, gradients);
}
template <class Real>
void sample_vjp(const SampleProblem<Real>& problem, Series<const Real> cotangents,
                const SampleGradients<Real>& gradients, void* workspace, cudaStream_t stream) {
  drive_sample_vjp(DeviceLauncher(stream), problem, cotangents, gradients, Arena(workspace));
}

#define DIFFEO_INSTANTIATE(Real)                                                                                       \
  template std::size_t flow_workspace(const FlowProblem<Real>&);                                                       \
  template void flow(const FlowProblem<Real>&, Rows<Real>, void*, cudaStream_t);                                       \
  template std::size_t flow_vjp_workspace(const FlowProblem<Real>&, const FlowGradients<Real>&);                       \
  template void flow_vjp(const FlowProblem<Real>&, Rows<const Real>, const FlowGradients<Real>&, void*, cudaStream_t); \
  template void flow_log_slope(const FlowProblem<Real>&, Rows<Real>, void*, cudaStream_t);                             \
  template void flow_log_slope_vjp(const FlowProblem<Real>&, Rows<const Real>, const FlowGradients<Real>&, void*,      \
                                   cudaStream_t);                                                                      \
  template std::size_t warp_workspace(const WarpProblem<Real>&);                                                       \
  template void warp(const WarpProblem<Real>&, Series<Real>, void*, cudaStream_t);                                     \
  template std::size_t warp_vjp_workspace(const WarpProblem<Real>&, std::size_t, const WarpGradients<Real>&);          \
  template void warp_vjp(const WarpProblem<Real>&, Series<const Real>, const WarpGradients<Real>&, void*,              \
                         cudaStream_t);                                                                                \
  template void sample(const SampleProblem<Real>&, Series<Real>, cudaStream_t);                                        \
  template std::size_t sample_vjp_workspace(const SampleProblem<Real>&, const SampleGradients<Real>&);                 \
  template void sample_vjp(const SampleProblem<Real>&, Series<const Real>, const SampleGradients<Real>&, void*,        \
                           cudaStream_t);
DIFFEO_INSTANTIATE(float)
DIFFEO_INSTANTIATE(double)
#undef DIFFEO_INSTANTIATE

}  // namespace diffeo::cuda
