// diffeo::warp for torch: the CPU kernels, shapes without values, and the gradient.
#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <array>
#include <tuple>

#include "diffeo/torch/operators.hpp"
#include "diffeo/warp.hpp"
#include "operator_checks.hpp"
#include "tensor_views.hpp"

namespace diffeo {
namespace {

using at::Tensor;
using WarpGradientTensors = std::tuple<Tensor, Tensor, Tensor>;
using WarpWanted = std::array<bool, 3>;  // series, velocities, time

Tensor warp_shape(const Tensor& series, const Tensor& velocities, const Tensor& time, c10::SymInt length) {
  tensors::check_warp_arguments(series, velocities, time, length);
  return at::empty_symint({series.sym_size(0), series.sym_size(1), length}, series.options());
}

Tensor warp_cpu(const Tensor& series, const Tensor& velocities, const Tensor& time, std::int64_t length) {
  tensors::check_warp_arguments(series, velocities, time, length);
  const Tensor values = series.contiguous();
  const Tensor fields = velocities.contiguous();
  const std::vector<double> times = tensors::times(time);
  Tensor warped = at::empty({values.size(0), values.size(1), length}, values.options());
  AT_DISPATCH_FLOATING_TYPES(values.scalar_type(), "diffeo::warp", [&] {
    tensors::checked("warp", [&] {
      warp<scalar_t>(
          {.series = tensors::series<scalar_t>(values), .velocities = tensors::rows<scalar_t>(fields), .times = times},
          tensors::mutable_series<scalar_t>(warped), tensors::threads());
    });
  });
  return warped;
}

WarpGradientTensors warp_backward_shape(const Tensor&, const Tensor& series, const Tensor& velocities,
                                        const Tensor& time, WarpWanted wanted) {
  return {tensors::like_if(wanted[0], series), tensors::like_if(wanted[1], velocities),
          tensors::like_if(wanted[2], time)};
}

WarpGradientTensors warp_backward_cpu(const Tensor& cotangents, const Tensor& series, const Tensor& velocities,
                                      const Tensor& time, WarpWanted wanted) {
  const Tensor values = series.contiguous();
  const Tensor fields = velocities.contiguous();
  const Tensor weights = cotangents.contiguous();
  const std::vector<double> times = tensors::times(time);
  Tensor by_series = tensors::like_if(wanted[0], values);
  Tensor by_velocities = tensors::like_if(wanted[1], fields);
  Tensor by_time = tensors::like_if(wanted[2], time);
  std::vector<double> time_gradients(wanted[2] ? times.size() : 0);
  AT_DISPATCH_FLOATING_TYPES(values.scalar_type(), "diffeo::warp_backward", [&] {
    WarpGradients<scalar_t> gradients;
    if (wanted[0]) gradients.series = tensors::mutable_series<scalar_t>(by_series);
    if (wanted[1]) gradients.velocities = tensors::mutable_rows<scalar_t>(by_velocities);
    gradients.times = time_gradients;
    tensors::checked("warp_backward", [&] {
      warp_vjp<scalar_t>(
          {.series = tensors::series<scalar_t>(values), .velocities = tensors::rows<scalar_t>(fields), .times = times},
          tensors::series<scalar_t>(weights), gradients, tensors::threads());
    });
  });
  if (wanted[2]) tensors::copy_times(time_gradients, by_time);
  return {by_series, by_velocities, by_time};
}

Tensor call_warp(const Tensor& series, const Tensor& velocities, const Tensor& time, c10::SymInt length) {
  static const auto operation =
      c10::Dispatcher::singleton().findSchemaOrThrow("diffeo_cpp::warp", "").typed<decltype(warp_shape)>();
  return operation.call(series, velocities, time, std::move(length));
}

WarpGradientTensors call_warp_backward(const Tensor& cotangents, const Tensor& series, const Tensor& velocities,
                                       const Tensor& time, WarpWanted wanted) {
  static const auto operation = c10::Dispatcher::singleton()
                                    .findSchemaOrThrow("diffeo_cpp::warp_backward", "")
                                    .typed<decltype(warp_backward_cpu)>();
  return operation.call(cotangents, series, velocities, time, wanted);
}

struct WarpFunction : torch::autograd::Function<WarpFunction> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& series, const Tensor& velocities,
                        const Tensor& time, c10::SymInt length) {
    const at::AutoDispatchBelowADInplaceOrView below;
    context->save_for_backward({series, velocities, time});
    return call_warp(series, velocities, time, std::move(length));
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& cotangents) {
    const torch::autograd::variable_list saved = context->get_saved_variables();
    const WarpWanted wanted{context->needs_input_grad(0), context->needs_input_grad(1), context->needs_input_grad(2)};
    const auto [by_series, by_velocities, by_time] =
        call_warp_backward(cotangents[0], saved[0], saved[1], saved[2], wanted);
    return {wanted[0] ? by_series : Tensor(), wanted[1] ? by_velocities : Tensor(), wanted[2] ? by_time : Tensor(),
            Tensor()};
  }
};

Tensor warp_autograd(const Tensor& series, const Tensor& velocities, const Tensor& time, c10::SymInt length) {
  return WarpFunction::apply(series, velocities, time, std::move(length));
}

}  // namespace

at::Tensor warp(const at::Tensor& series, const at::Tensor& velocities, const at::Tensor& time, std::int64_t length) {
  return call_warp(series, velocities, time, length);
}

TORCH_LIBRARY_FRAGMENT(diffeo_cpp, library) {
  library.def("warp(Tensor series, Tensor velocities, Tensor time, SymInt length) -> Tensor");
  library.def(
      "warp_backward(Tensor cotangents, Tensor series, Tensor velocities, Tensor time, bool[3] wanted) "
      "-> (Tensor, Tensor, Tensor)");
}

TORCH_LIBRARY_IMPL(diffeo_cpp, CPU, library) {
  library.impl("warp", warp_cpu);
  library.impl("warp_backward", warp_backward_cpu);
}

TORCH_LIBRARY_IMPL(diffeo_cpp, Meta, library) {
  library.impl("warp", warp_shape);
  library.impl("warp_backward", warp_backward_shape);
}

TORCH_LIBRARY_IMPL(diffeo_cpp, Autograd, library) {
  library.impl("warp", warp_autograd);
  library.impl("warp_backward", torch::autograd::autogradNotImplementedFallback());
}

}  // namespace diffeo
