// diffeo::sample for torch: the CPU kernels, shapes without values, and the gradient.
#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <array>
#include <tuple>

#include "diffeo/sample.hpp"
#include "diffeo/torch/operators.hpp"
#include "operator_checks.hpp"
#include "tensor_views.hpp"

namespace diffeo {
namespace {

using at::Tensor;
using SampleGradientTensors = std::tuple<Tensor, Tensor>;
using SampleWanted = std::array<bool, 2>;  // series, positions

Tensor sample_shape(const Tensor& series, const Tensor& positions) {
  tensors::check_sample_arguments(series, positions);
  return at::empty_symint({series.sym_size(0), series.sym_size(1), positions.sym_size(-1)}, series.options());
}

Tensor sample_cpu(const Tensor& series, const Tensor& positions) {
  tensors::check_sample_arguments(series, positions);
  const Tensor values = series.contiguous();
  const Tensor places = positions.contiguous();
  Tensor samples = at::empty({values.size(0), values.size(1), places.size(-1)}, values.options());
  AT_DISPATCH_FLOATING_TYPES(values.scalar_type(), "diffeo::sample", [&] {
    tensors::checked("sample", [&] {
      sample<scalar_t>({.series = tensors::series<scalar_t>(values), .positions = tensors::rows<scalar_t>(places)},
                       tensors::mutable_series<scalar_t>(samples), tensors::threads());
    });
  });
  return samples;
}

SampleGradientTensors sample_backward_shape(const Tensor&, const Tensor& series, const Tensor& positions,
                                            SampleWanted wanted) {
  return {tensors::like_if(wanted[0], series), tensors::like_if(wanted[1], positions)};
}

SampleGradientTensors sample_backward_cpu(const Tensor& cotangents, const Tensor& series, const Tensor& positions,
                                          SampleWanted wanted) {
  const Tensor values = series.contiguous();
  const Tensor places = positions.contiguous();
  const Tensor weights = cotangents.contiguous();
  Tensor by_series = tensors::like_if(wanted[0], values);
  Tensor by_positions = tensors::like_if(wanted[1], places);
  AT_DISPATCH_FLOATING_TYPES(values.scalar_type(), "diffeo::sample_backward", [&] {
    SampleGradients<scalar_t> gradients;
    if (wanted[0]) gradients.series = tensors::mutable_series<scalar_t>(by_series);
    if (wanted[1]) gradients.positions = tensors::mutable_rows<scalar_t>(by_positions);
    tensors::checked("sample_backward", [&] {
      sample_vjp<scalar_t>({.series = tensors::series<scalar_t>(values), .positions = tensors::rows<scalar_t>(places)},
                           tensors::series<scalar_t>(weights), gradients, tensors::threads());
    });
  });
  return {by_series, by_positions};
}

Tensor call_sample(const Tensor& series, const Tensor& positions) {
  static const auto operation =
      c10::Dispatcher::singleton().findSchemaOrThrow("diffeo_cpp::sample", "").typed<decltype(sample_cpu)>();
  return operation.call(series, positions);
}

SampleGradientTensors call_sample_backward(const Tensor& cotangents, const Tensor& series, const Tensor& positions,
                                           SampleWanted wanted) {
  static const auto operation = c10::Dispatcher::singleton()
                                    .findSchemaOrThrow("diffeo_cpp::sample_backward", "")
                                    .typed<decltype(sample_backward_cpu)>();
  return operation.call(cotangents, series, positions, wanted);
}

struct SampleFunction : torch::autograd::Function<SampleFunction> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& series, const Tensor& positions) {
    const at::AutoDispatchBelowADInplaceOrView below;
    context->save_for_backward({series, positions});
    return call_sample(series, positions);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& cotangents) {
    const torch::autograd::variable_list saved = context->get_saved_variables();
    const SampleWanted wanted{context->needs_input_grad(0), context->needs_input_grad(1)};
    const auto [by_series, by_positions] = call_sample_backward(cotangents[0], saved[0], saved[1], wanted);
    return {wanted[0] ? by_series : Tensor(), wanted[1] ? by_positions : Tensor()};
  }
};

Tensor sample_autograd(const Tensor& series, const Tensor& positions) {
  return SampleFunction::apply(series, positions);
}

}  // namespace

at::Tensor sample(const at::Tensor& series, const at::Tensor& positions) { return call_sample(series, positions); }

TORCH_LIBRARY_FRAGMENT(diffeo_cpp, library) {
  library.def("sample(Tensor series, Tensor positions) -> Tensor");
  library.def(
      "sample_backward(Tensor cotangents, Tensor series, Tensor positions, bool[2] wanted) -> (Tensor, Tensor)");
}

TORCH_LIBRARY_IMPL(diffeo_cpp, CPU, library) {
  library.impl("sample", sample_cpu);
  library.impl("sample_backward", sample_backward_cpu);
}

TORCH_LIBRARY_IMPL(diffeo_cpp, Meta, library) {
  library.impl("sample", sample_shape);
  library.impl("sample_backward", sample_backward_shape);
}

TORCH_LIBRARY_IMPL(diffeo_cpp, Autograd, library) {
  library.impl("sample", sample_autograd);
  library.impl("sample_backward", torch::autograd::autogradNotImplementedFallback());
}

}  // namespace diffeo
