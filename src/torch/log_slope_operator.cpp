// diffeo::flow_log_slope for torch: the CPU kernels, shapes without values, and the gradient.
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "cuda_part.hpp"
#include "diffeo/log_slope.hpp"
#include "diffeo/torch/operators.hpp"
#include "flow_tensors.hpp"

namespace diffeo {
namespace log_slope_operator {

using at::Tensor;
using tensors::FlowGradientTensors;
using tensors::FlowWanted;

Tensor shape(const Tensor& velocities, const Tensor& points, const Tensor& time, double, double) {
  return tensors::flow_result_shape(velocities, points, time);
}

Tensor cpu(const Tensor& velocities, const Tensor& points, const Tensor& time, double lower, double upper) {
  return tensors::flow_values(
      "flow_log_slope", velocities, points, time, {lower, upper},
      [](const auto& problem, auto log_slopes) { diffeo::flow_log_slope(problem, log_slopes, tensors::threads()); });
}

FlowGradientTensors backward_shape(const Tensor&, const Tensor& velocities, const Tensor& points, const Tensor& time,
                                   double, double, FlowWanted wanted) {
  return tensors::flow_gradient_shapes(velocities, points, time, wanted);
}

FlowGradientTensors backward_cpu(const Tensor& cotangents, const Tensor& velocities, const Tensor& points,
                                 const Tensor& time, double lower, double upper, FlowWanted wanted) {
  return tensors::flow_gradients("flow_log_slope_backward", cotangents, velocities, points, time, {lower, upper},
                                 wanted, [](const auto& problem, auto weights, const auto& gradients) {
                                   flow_log_slope_vjp(problem, weights, gradients, tensors::threads());
                                 });
}

Tensor call(const Tensor& velocities, const Tensor& points, const Tensor& time, double lower, double upper) {
  static const auto operation =
      c10::Dispatcher::singleton().findSchemaOrThrow("diffeo_cpp::flow_log_slope", "").typed<decltype(cpu)>();
  return operation.call(velocities, points, time, lower, upper);
}

FlowGradientTensors call_backward(const Tensor& cotangents, const Tensor& velocities, const Tensor& points,
                                  const Tensor& time, double lower, double upper, FlowWanted wanted) {
  static const auto operation = c10::Dispatcher::singleton()
                                    .findSchemaOrThrow("diffeo_cpp::flow_log_slope_backward", "")
                                    .typed<decltype(backward_cpu)>();
  return operation.call(cotangents, velocities, points, time, lower, upper, wanted);
}

struct Function : torch::autograd::Function<Function> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& velocities, const Tensor& points,
                        const Tensor& time, double lower, double upper) {
    const at::AutoDispatchBelowADInplaceOrView below;
    context->save_for_backward({velocities, points, time});
    context->saved_data["lower"] = lower;
    context->saved_data["upper"] = upper;
    return call(velocities, points, time, lower, upper);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& cotangents) {
    const torch::autograd::variable_list saved = context->get_saved_variables();
    const FlowWanted wanted{context->needs_input_grad(0), context->needs_input_grad(1), context->needs_input_grad(2)};
    const auto [by_velocities, by_points, by_time] =
        call_backward(cotangents[0], saved[0], saved[1], saved[2], context->saved_data["lower"].toDouble(),
                      context->saved_data["upper"].toDouble(), wanted);
    return {wanted[0] ? by_velocities : Tensor(), wanted[1] ? by_points : Tensor(), wanted[2] ? by_time : Tensor(),
            Tensor(), Tensor()};
  }
};

Tensor autograd(const Tensor& velocities, const Tensor& points, const Tensor& time, double lower, double upper) {
  return Function::apply(velocities, points, time, lower, upper);
}

}  // namespace log_slope_operator

at::Tensor flow_log_slope(const at::Tensor& velocities, const at::Tensor& points, const at::Tensor& time, double lower,
                          double upper) {
  return log_slope_operator::call(velocities, points, time, lower, upper);
}

TORCH_LIBRARY_FRAGMENT(diffeo_cpp, library) {
  (void)has_kernels_for_cuda();  // what registers them, or refuses, is linked
  library.def(
      "flow_log_slope(Tensor velocities, Tensor points, Tensor time, float lower=0.0, float upper=1.0) -> Tensor");
  library.def(
      "flow_log_slope_backward(Tensor cotangents, Tensor velocities, Tensor points, Tensor time, float lower, "
      "float upper, bool[3] wanted) -> (Tensor, Tensor, Tensor)");
}

TORCH_LIBRARY_IMPL(diffeo_cpp, CPU, library) {
  library.impl("flow_log_slope", log_slope_operator::cpu);
  library.impl("flow_log_slope_backward", log_slope_operator::backward_cpu);
}

TORCH_LIBRARY_IMPL(diffeo_cpp, Meta, library) {
  library.impl("flow_log_slope", log_slope_operator::shape);
  library.impl("flow_log_slope_backward", log_slope_operator::backward_shape);
}

TORCH_LIBRARY_IMPL(diffeo_cpp, Autograd, library) {
  library.impl("flow_log_slope", log_slope_operator::autograd);
  library.impl("flow_log_slope_backward", torch::autograd::autogradNotImplementedFallback());
}

}  // namespace diffeo
