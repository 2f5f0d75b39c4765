// The operators on a GPU: on the current stream of the tensors' device, waiting for nothing.
//
// Shapes, precisions and devices are checked; values are not (cuda/operations.hpp says what becomes of those that are
// not finite). Only the closed form has kernels. A time on the processor is sent along; where its gradient is wanted
// there, that has to be waited for.
#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

#include <array>
#include <string_view>
#include <tuple>

#include "cuda/operations.hpp"
#include "cuda_part.hpp"
#include "operator_checks.hpp"
#include "tensor_views.hpp"

namespace diffeo {
namespace {

using at::Tensor;
using ThreeTensors = std::tuple<Tensor, Tensor, Tensor>;
using TwoTensors = std::tuple<Tensor, Tensor>;

void check_device(const char* name, const Tensor& tensor, const char* other_name, const Tensor& other) {
  TORCH_CHECK_VALUE(tensor.device() == other.device(), name, ": expected device ", other.device(), " as the ",
                    other_name, " have, got ", tensor.device());
}

void check_method(std::string_view method) {
  TORCH_CHECK_NOT_IMPLEMENTED(method == "exact", "diffeo::flow: expected method exact on a GPU, got ", method);
}

/// The device of the tensors as the current one, and its current stream.
class CurrentStream {
 public:
  explicit CurrentStream(const Tensor& tensor)
      : guard_(tensor.device()), stream_(c10::cuda::getCurrentCUDAStream(tensor.device().index())) {}
  [[nodiscard]] cudaStream_t get() const { return stream_.stream(); }

 private:
  c10::cuda::CUDAGuard guard_;
  c10::cuda::CUDAStream stream_;
};

/// Times in double precision, beside the tensors.
Tensor times_beside(const Tensor& time, const Tensor& like) {
  if (time.dim() > 0) check_device("time", time, "other tensors", like);
  return time.to(like.options().dtype(at::kDouble), /*non_blocking=*/true).contiguous();
}
std::span<const double> view(const Tensor& times) {
  return {times.const_data_ptr<double>(), static_cast<std::size_t>(times.numel())};
}
/// Room for gradients by times.
Tensor time_gradients(bool wanted, const Tensor& times) {
  return wanted ? at::empty(times.sizes(), times.options()) : at::empty({0}, times.options());
}
std::span<double> mutable_view(Tensor& times) {
  if (times.numel() == 0) return {};
  return {times.mutable_data_ptr<double>(), static_cast<std::size_t>(times.numel())};
}

/// Memory that is given back in the order of the stream.
class Workspace {
 public:
  Workspace(std::size_t bytes, const Tensor& like)
      : memory_(at::empty({static_cast<std::int64_t>(bytes)}, like.options().dtype(at::kByte))) {}
  [[nodiscard]] void* get() { return memory_.mutable_data_ptr(); }

 private:
  Tensor memory_;
};

/// (batch, n), computed by work(problem, values, workspace, stream) in the workspace of a flow.
template <class Work>
Tensor values_cuda(const char* name, const Tensor& velocities, const Tensor& points, const Tensor& time, Domain domain,
                   const Work& work) {
  tensors::check_flow_arguments(velocities, points, time);
  check_device("points", points, "velocities", velocities);
  const CurrentStream stream(velocities);
  const Tensor fields = velocities.contiguous(), grid = points.contiguous(), times = times_beside(time, velocities);
  Tensor values = at::empty({fields.size(0), grid.size(-1)}, fields.options());
  AT_DISPATCH_FLOATING_TYPES(fields.scalar_type(), "diffeo", [&] {
    const FlowProblem<scalar_t> problem{.velocities = tensors::rows<scalar_t>(fields),
                                        .points = tensors::rows<scalar_t>(grid),
                                        .times = view(times),
                                        .domain = domain};
    tensors::checked(name, [&] {
      Workspace workspace(cuda::flow_workspace(problem), fields);
      work(problem, tensors::mutable_rows<scalar_t>(values), workspace.get(), stream.get());
    });
  });
  return values;
}

/// The gradients wanted, computed by work(problem, cotangents, gradients, workspace, stream).
template <class Work>
ThreeTensors gradients_cuda(const char* name, const Tensor& cotangents, const Tensor& velocities, const Tensor& points,
                            const Tensor& time, Domain domain, std::array<bool, 3> wanted, const Work& work) {
  check_device("cotangents", cotangents, "velocities", velocities);
  check_device("points", points, "velocities", velocities);
  const CurrentStream stream(velocities);
  const Tensor fields = velocities.contiguous(), grid = points.contiguous(), times = times_beside(time, velocities);
  const Tensor weights = cotangents.contiguous();
  Tensor by_velocities = tensors::like_if(wanted[0], fields), by_points = tensors::like_if(wanted[1], grid);
  Tensor by_times = time_gradients(wanted[2], times);
  AT_DISPATCH_FLOATING_TYPES(fields.scalar_type(), "diffeo", [&] {
    const FlowProblem<scalar_t> problem{.velocities = tensors::rows<scalar_t>(fields),
                                        .points = tensors::rows<scalar_t>(grid),
                                        .times = view(times),
                                        .domain = domain};
    FlowGradients<scalar_t> gradients;
    if (wanted[0]) gradients.velocities = tensors::mutable_rows<scalar_t>(by_velocities);
    if (wanted[1]) gradients.points = tensors::mutable_rows<scalar_t>(by_points);
    gradients.times = mutable_view(by_times);
    tensors::checked(name, [&] {
      Workspace workspace(cuda::flow_vjp_workspace(problem, gradients), fields);
      work(problem, tensors::rows<scalar_t>(weights), gradients, workspace.get(), stream.get());
    });
  });
  return {by_velocities, by_points, by_times.to(time.scalar_type())};
}

Tensor flow_cuda(const Tensor& velocities, const Tensor& points, const Tensor& time, double lower, double upper,
                 std::string_view method, std::int64_t) {
  check_method(method);
  return values_cuda("flow", velocities, points, time, {lower, upper},
                     [](const auto&... arguments) { cuda::flow(arguments...); });
}

ThreeTensors flow_backward_cuda(const Tensor& cotangents, const Tensor& velocities, const Tensor& points,
                                const Tensor& time, double lower, double upper, std::string_view method, std::int64_t,
                                std::array<bool, 3> wanted) {
  check_method(method);
  return gradients_cuda("flow_backward", cotangents, velocities, points, time, {lower, upper}, wanted,
                        [](const auto&... arguments) { cuda::flow_vjp(arguments...); });
}

Tensor flow_log_slope_cuda(const Tensor& velocities, const Tensor& points, const Tensor& time, double lower,
                           double upper) {
  return values_cuda("flow_log_slope", velocities, points, time, {lower, upper},
                     [](const auto&... arguments) { cuda::flow_log_slope(arguments...); });
}

ThreeTensors flow_log_slope_backward_cuda(const Tensor& cotangents, const Tensor& velocities, const Tensor& points,
                                          const Tensor& time, double lower, double upper, std::array<bool, 3> wanted) {
  return gradients_cuda("flow_log_slope_backward", cotangents, velocities, points, time, {lower, upper}, wanted,
                        [](const auto&... arguments) { cuda::flow_log_slope_vjp(arguments...); });
}

Tensor warp_cuda(const Tensor& series, const Tensor& velocities, const Tensor& time, std::int64_t length) {
  tensors::check_warp_arguments(series, velocities, time, length);
  check_device("velocities", velocities, "series", series);
  const CurrentStream stream(series);
  const Tensor values = series.contiguous(), fields = velocities.contiguous(), times = times_beside(time, series);
  Tensor warped = at::empty({values.size(0), values.size(1), length}, values.options());
  AT_DISPATCH_FLOATING_TYPES(values.scalar_type(), "diffeo::warp", [&] {
    const WarpProblem<scalar_t> problem{.series = tensors::series<scalar_t>(values),
                                        .velocities = tensors::rows<scalar_t>(fields),
                                        .times = view(times)};
    tensors::checked("warp", [&] {
      Workspace workspace(cuda::warp_workspace(problem), values);
      cuda::warp(problem, tensors::mutable_series<scalar_t>(warped), workspace.get(), stream.get());
    });
  });
  return warped;
}

ThreeTensors warp_backward_cuda(const Tensor& cotangents, const Tensor& series, const Tensor& velocities,
                                const Tensor& time, std::array<bool, 3> wanted) {
  check_device("cotangents", cotangents, "series", series);
  check_device("velocities", velocities, "series", series);
  const CurrentStream stream(series);
  const Tensor values = series.contiguous(), fields = velocities.contiguous(), times = times_beside(time, series);
  const Tensor weights = cotangents.contiguous();
  Tensor by_series = tensors::like_if(wanted[0], values), by_velocities = tensors::like_if(wanted[1], fields);
  Tensor by_times = time_gradients(wanted[2], times);
  AT_DISPATCH_FLOATING_TYPES(values.scalar_type(), "diffeo::warp_backward", [&] {
    const WarpProblem<scalar_t> problem{.series = tensors::series<scalar_t>(values),
                                        .velocities = tensors::rows<scalar_t>(fields),
                                        .times = view(times)};
    WarpGradients<scalar_t> gradients;
    if (wanted[0]) gradients.series = tensors::mutable_series<scalar_t>(by_series);
    if (wanted[1]) gradients.velocities = tensors::mutable_rows<scalar_t>(by_velocities);
    gradients.times = mutable_view(by_times);
    tensors::checked("warp_backward", [&] {
      const Series<const scalar_t> given = tensors::series<scalar_t>(weights);
      Workspace workspace(cuda::warp_vjp_workspace(problem, given.time, gradients), values);
      cuda::warp_vjp(problem, given, gradients, workspace.get(), stream.get());
    });
  });
  return {by_series, by_velocities, by_times.to(time.scalar_type())};
}

Tensor sample_cuda(const Tensor& series, const Tensor& positions) {
  tensors::check_sample_arguments(series, positions);
  check_device("positions", positions, "series", series);
  const CurrentStream stream(series);
  const Tensor values = series.contiguous(), places = positions.contiguous();
  Tensor samples = at::empty({values.size(0), values.size(1), places.size(-1)}, values.options());
  AT_DISPATCH_FLOATING_TYPES(values.scalar_type(), "diffeo::sample", [&] {
    tensors::checked("sample", [&] {
      cuda::sample<scalar_t>(
          {.series = tensors::series<scalar_t>(values), .positions = tensors::rows<scalar_t>(places)},
          tensors::mutable_series<scalar_t>(samples), stream.get());
    });
  });
  return samples;
}

TwoTensors sample_backward_cuda(const Tensor& cotangents, const Tensor& series, const Tensor& positions,
                                std::array<bool, 2> wanted) {
  check_device("cotangents", cotangents, "series", series);
  check_device("positions", positions, "series", series);
  const CurrentStream stream(series);
  const Tensor values = series.contiguous(), places = positions.contiguous(), weights = cotangents.contiguous();
  Tensor by_series = tensors::like_if(wanted[0], values), by_positions = tensors::like_if(wanted[1], places);
  AT_DISPATCH_FLOATING_TYPES(values.scalar_type(), "diffeo::sample_backward", [&] {
    const SampleProblem<scalar_t> problem{.series = tensors::series<scalar_t>(values),
                                          .positions = tensors::rows<scalar_t>(places)};
    SampleGradients<scalar_t> gradients;
    if (wanted[0]) gradients.series = tensors::mutable_series<scalar_t>(by_series);
    if (wanted[1]) gradients.positions = tensors::mutable_rows<scalar_t>(by_positions);
    tensors::checked("sample_backward", [&] {
      Workspace workspace(cuda::sample_vjp_workspace(problem, gradients), values);
      cuda::sample_vjp(problem, tensors::series<scalar_t>(weights), gradients, workspace.get(), stream.get());
    });
  });
  return {by_series, by_positions};
}

}  // namespace

bool has_kernels_for_cuda() noexcept { return true; }

TORCH_LIBRARY_IMPL(diffeo_cpp, CUDA, library) {
  library.impl("flow", flow_cuda);
  library.impl("flow_backward", flow_backward_cuda);
  library.impl("flow_log_slope", flow_log_slope_cuda);
  library.impl("flow_log_slope_backward", flow_log_slope_backward_cuda);
  library.impl("sample", sample_cuda);
  library.impl("sample_backward", sample_backward_cuda);
  library.impl("warp", warp_cuda);
  library.impl("warp_backward", warp_backward_cuda);
}

}  // namespace diffeo
