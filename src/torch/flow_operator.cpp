// diffeo::flow for torch: the CPU kernels, shapes without values, and the gradient.
#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <array>
#include <tuple>

#include "diffeo/flow.hpp"
#include "diffeo/torch/operators.hpp"
#include "tensor_views.hpp"

namespace diffeo {
namespace {

using at::Tensor;
using Gradients = std::tuple<Tensor, Tensor, Tensor>;
using Wanted = std::array<bool, 3>;  // velocities, points, time

/// Shapes and precisions; everything that can be known without values, so that it holds for fake tensors too.
void check_arguments(const Tensor& velocities, const Tensor& points, const Tensor& time) {
  TORCH_CHECK_VALUE(velocities.dim() == 2, "velocities: expected shape (batch, cells + 1), got ",
                    velocities.sym_sizes());
  TORCH_CHECK_VALUE(points.dim() == 1 || (points.dim() == 2 && points.sym_size(0) == velocities.sym_size(0)),
                    "points: expected shape (n,) or (", velocities.sym_size(0), ", n), got ", points.sym_sizes());
  tensors::check_precision("velocities", velocities);
  tensors::check_same_precision("points", points, "velocities", velocities);
  tensors::check_time(time, velocities.sym_size(0));
}

Tensor flow_shape(const Tensor& velocities, const Tensor& points, const Tensor& time, double, double) {
  check_arguments(velocities, points, time);
  return at::empty_symint({velocities.sym_size(0), points.sym_size(-1)}, velocities.options());
}

Tensor flow_cpu(const Tensor& velocities, const Tensor& points, const Tensor& time, double lower, double upper) {
  check_arguments(velocities, points, time);
  const Tensor fields = velocities.contiguous();
  const Tensor grid = points.contiguous();
  const std::vector<double> times = tensors::times(time);
  Tensor positions = at::empty({fields.size(0), grid.size(-1)}, fields.options());
  AT_DISPATCH_FLOATING_TYPES(fields.scalar_type(), "diffeo::flow", [&] {
    tensors::checked("flow", [&] {
      flow<scalar_t>({.velocities = tensors::rows<scalar_t>(fields),
                      .points = tensors::rows<scalar_t>(grid),
                      .times = times,
                      .domain = {lower, upper}},
                     tensors::mutable_rows<scalar_t>(positions), tensors::threads());
    });
  });
  return positions;
}

Gradients flow_backward_shape(const Tensor&, const Tensor& velocities, const Tensor& points, const Tensor& time, double,
                              double, Wanted wanted) {
  return {tensors::like_if(wanted[0], velocities), tensors::like_if(wanted[1], points),
          tensors::like_if(wanted[2], time)};
}

Gradients flow_backward_cpu(const Tensor& cotangents, const Tensor& velocities, const Tensor& points,
                            const Tensor& time, double lower, double upper, Wanted wanted) {
  const Tensor fields = velocities.contiguous();
  const Tensor grid = points.contiguous();
  const Tensor weights = cotangents.contiguous();
  const std::vector<double> times = tensors::times(time);
  Tensor by_velocities = tensors::like_if(wanted[0], fields);
  Tensor by_points = tensors::like_if(wanted[1], grid);
  Tensor by_time = tensors::like_if(wanted[2], time);
  std::vector<double> time_gradients(wanted[2] ? times.size() : 0);
  AT_DISPATCH_FLOATING_TYPES(fields.scalar_type(), "diffeo::flow_backward", [&] {
    FlowGradients<scalar_t> gradients;
    if (wanted[0]) gradients.velocities = tensors::mutable_rows<scalar_t>(by_velocities);
    if (wanted[1]) gradients.points = tensors::mutable_rows<scalar_t>(by_points);
    gradients.times = time_gradients;
    tensors::checked("flow_backward", [&] {
      flow_vjp<scalar_t>({.velocities = tensors::rows<scalar_t>(fields),
                          .points = tensors::rows<scalar_t>(grid),
                          .times = times,
                          .domain = {lower, upper}},
                         tensors::rows<scalar_t>(weights), gradients, tensors::threads());
    });
  });
  if (wanted[2]) tensors::copy_times(time_gradients, by_time);
  return {by_velocities, by_points, by_time};
}

Tensor call_flow(const Tensor& velocities, const Tensor& points, const Tensor& time, double lower, double upper) {
  static const auto operation =
      c10::Dispatcher::singleton().findSchemaOrThrow("diffeo::flow", "").typed<decltype(flow_cpu)>();
  return operation.call(velocities, points, time, lower, upper);
}

Gradients call_flow_backward(const Tensor& cotangents, const Tensor& velocities, const Tensor& points,
                             const Tensor& time, double lower, double upper, Wanted wanted) {
  static const auto operation =
      c10::Dispatcher::singleton().findSchemaOrThrow("diffeo::flow_backward", "").typed<decltype(flow_backward_cpu)>();
  return operation.call(cotangents, velocities, points, time, lower, upper, wanted);
}

struct FlowFunction : torch::autograd::Function<FlowFunction> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& velocities, const Tensor& points,
                        const Tensor& time, double lower, double upper) {
    const at::AutoDispatchBelowADInplaceOrView below;
    context->save_for_backward({velocities, points, time});
    context->saved_data["lower"] = lower;
    context->saved_data["upper"] = upper;
    return call_flow(velocities, points, time, lower, upper);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& cotangents) {
    const torch::autograd::variable_list saved = context->get_saved_variables();
    const Wanted wanted{context->needs_input_grad(0), context->needs_input_grad(1), context->needs_input_grad(2)};
    const auto [by_velocities, by_points, by_time] =
        call_flow_backward(cotangents[0], saved[0], saved[1], saved[2], context->saved_data["lower"].toDouble(),
                           context->saved_data["upper"].toDouble(), wanted);
    return {wanted[0] ? by_velocities : Tensor(), wanted[1] ? by_points : Tensor(), wanted[2] ? by_time : Tensor(),
            Tensor(), Tensor()};
  }
};

Tensor flow_autograd(const Tensor& velocities, const Tensor& points, const Tensor& time, double lower, double upper) {
  return FlowFunction::apply(velocities, points, time, lower, upper);
}

}  // namespace

at::Tensor flow(const at::Tensor& velocities, const at::Tensor& points, const at::Tensor& time, double lower,
                double upper) {
  return call_flow(velocities, points, time, lower, upper);
}

TORCH_LIBRARY_FRAGMENT(diffeo, library) {
  library.def("flow(Tensor velocities, Tensor points, Tensor time, float lower=0.0, float upper=1.0) -> Tensor");
  library.def(
      "flow_backward(Tensor cotangents, Tensor velocities, Tensor points, Tensor time, float lower, float upper, "
      "bool[3] wanted) -> (Tensor, Tensor, Tensor)");
}

TORCH_LIBRARY_IMPL(diffeo, CPU, library) {
  library.impl("flow", flow_cpu);
  library.impl("flow_backward", flow_backward_cpu);
}

TORCH_LIBRARY_IMPL(diffeo, Meta, library) {
  library.impl("flow", flow_shape);
  library.impl("flow_backward", flow_backward_shape);
}

TORCH_LIBRARY_IMPL(diffeo, Autograd, library) {
  library.impl("flow", flow_autograd);
  library.impl("flow_backward", torch::autograd::autogradNotImplementedFallback());
}

}  // namespace diffeo
