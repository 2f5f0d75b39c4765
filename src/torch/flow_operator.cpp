// diffeo::flow for torch: the CPU kernels, shapes without values, and the gradient.
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "cuda_part.hpp"
#include "diffeo/error.hpp"
#include "diffeo/flow.hpp"
#include "diffeo/numeric_flow.hpp"
#include "diffeo/scaling_squaring.hpp"
#include "diffeo/torch/operators.hpp"
#include "flow_tensors.hpp"

namespace diffeo {
namespace {

using at::Tensor;
using tensors::FlowGradientTensors;
using tensors::FlowWanted;

constexpr std::array<std::pair<FlowMethod, std::string_view>, 3> kMethods{{
    {FlowMethod::exact, "exact"},
    {FlowMethod::numeric, "numeric"},
    {FlowMethod::scaling_squaring, "scaling-squaring"},
}};

/// How to integrate, as the core takes it.
struct Scheme {
  FlowMethod method;
  std::size_t steps;
};

Scheme checked_scheme(std::string_view method, std::int64_t steps) {
  TORCH_CHECK_VALUE(steps >= 0, "steps: expected at least 0, got ", steps);
  Scheme scheme{FlowMethod::exact, static_cast<std::size_t>(steps)};
  tensors::checked("flow", [&] { scheme.method = flow_method_from_name(method); });
  return scheme;
}

template <class Real>
void integrate(Scheme scheme, const FlowProblem<Real>& problem, Rows<Real> positions) {
  switch (scheme.method) {
    case FlowMethod::exact:
      return flow<Real>(problem, positions, tensors::threads());
    case FlowMethod::numeric:
      return flow_numeric<Real>(problem, scheme.steps, positions, tensors::threads());
    case FlowMethod::scaling_squaring:
      return flow_scaling_squaring<Real>(problem, scheme.steps, positions, tensors::threads());
  }
}

template <class Real>
void integrate_vjp(Scheme scheme, const FlowProblem<Real>& problem, Rows<const Real> cotangents,
                   FlowGradients<Real> gradients) {
  switch (scheme.method) {
    case FlowMethod::exact:
      return flow_vjp<Real>(problem, cotangents, gradients, tensors::threads());
    case FlowMethod::numeric:
      return flow_numeric_vjp<Real>(problem, scheme.steps, cotangents, gradients, tensors::threads());
    case FlowMethod::scaling_squaring:
      return flow_scaling_squaring_vjp<Real>(problem, scheme.steps, cotangents, gradients, tensors::threads());
  }
}

Tensor flow_shape(const Tensor& velocities, const Tensor& points, const Tensor& time, double, double,
                  std::string_view method, std::int64_t steps) {
  Tensor result = tensors::flow_result_shape(velocities, points, time);
  (void)checked_scheme(method, steps);
  return result;
}

Tensor flow_cpu(const Tensor& velocities, const Tensor& points, const Tensor& time, double lower, double upper,
                std::string_view method, std::int64_t steps) {
  tensors::check_flow_arguments(velocities, points, time);
  const Scheme scheme = checked_scheme(method, steps);
  return tensors::flow_values("flow", velocities, points, time, {lower, upper},
                              [&](const auto& problem, auto positions) { integrate(scheme, problem, positions); });
}

FlowGradientTensors flow_backward_shape(const Tensor&, const Tensor& velocities, const Tensor& points,
                                        const Tensor& time, double, double, std::string_view, std::int64_t,
                                        FlowWanted wanted) {
  return tensors::flow_gradient_shapes(velocities, points, time, wanted);
}

FlowGradientTensors flow_backward_cpu(const Tensor& cotangents, const Tensor& velocities, const Tensor& points,
                                      const Tensor& time, double lower, double upper, std::string_view method,
                                      std::int64_t steps, FlowWanted wanted) {
  const Scheme scheme = checked_scheme(method, steps);
  return tensors::flow_gradients("flow_backward", cotangents, velocities, points, time, {lower, upper}, wanted,
                                 [&](const auto& problem, auto weights, const auto& gradients) {
                                   integrate_vjp(scheme, problem, weights, gradients);
                                 });
}

Tensor call_flow(const Tensor& velocities, const Tensor& points, const Tensor& time, double lower, double upper,
                 std::string_view method, std::int64_t steps) {
  static const auto operation =
      c10::Dispatcher::singleton().findSchemaOrThrow("diffeo_cpp::flow", "").typed<decltype(flow_cpu)>();
  return operation.call(velocities, points, time, lower, upper, method, steps);
}

FlowGradientTensors call_flow_backward(const Tensor& cotangents, const Tensor& velocities, const Tensor& points,
                                       const Tensor& time, double lower, double upper, std::string_view method,
                                       std::int64_t steps, FlowWanted wanted) {
  static const auto operation = c10::Dispatcher::singleton()
                                    .findSchemaOrThrow("diffeo_cpp::flow_backward", "")
                                    .typed<decltype(flow_backward_cpu)>();
  return operation.call(cotangents, velocities, points, time, lower, upper, method, steps, wanted);
}

struct FlowFunction : torch::autograd::Function<FlowFunction> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& velocities, const Tensor& points,
                        const Tensor& time, double lower, double upper, std::string_view method, std::int64_t steps) {
    const at::AutoDispatchBelowADInplaceOrView below;
    context->save_for_backward({velocities, points, time});
    context->saved_data["lower"] = lower;
    context->saved_data["upper"] = upper;
    context->saved_data["method"] = std::string(method);
    context->saved_data["steps"] = steps;
    return call_flow(velocities, points, time, lower, upper, method, steps);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& cotangents) {
    const torch::autograd::variable_list saved = context->get_saved_variables();
    const FlowWanted wanted{context->needs_input_grad(0), context->needs_input_grad(1), context->needs_input_grad(2)};
    const auto [by_velocities, by_points, by_time] =
        call_flow_backward(cotangents[0], saved[0], saved[1], saved[2], context->saved_data["lower"].toDouble(),
                           context->saved_data["upper"].toDouble(), context->saved_data["method"].toStringView(),
                           context->saved_data["steps"].toInt(), wanted);
    return {wanted[0] ? by_velocities : Tensor(),
            wanted[1] ? by_points : Tensor(),
            wanted[2] ? by_time : Tensor(),
            Tensor(),
            Tensor(),
            Tensor(),
            Tensor()};
  }
};

Tensor flow_autograd(const Tensor& velocities, const Tensor& points, const Tensor& time, double lower, double upper,
                     std::string_view method, std::int64_t steps) {
  return FlowFunction::apply(velocities, points, time, lower, upper, method, steps);
}

}  // namespace

std::string_view flow_method_name(FlowMethod method) noexcept {
  return kMethods[static_cast<std::size_t>(method)].second;
}

FlowMethod flow_method_from_name(std::string_view name) {
  for (const auto& [method, known] : kMethods) {
    if (name == known) return method;
  }
  throw std::invalid_argument(message("method: expected exact, numeric or scaling-squaring, got ", name));
}

at::Tensor flow(const at::Tensor& velocities, const at::Tensor& points, const at::Tensor& time, double lower,
                double upper, FlowMethod method, std::int64_t steps) {
  return call_flow(velocities, points, time, lower, upper, flow_method_name(method), steps);
}

TORCH_LIBRARY_FRAGMENT(diffeo_cpp, library) {
  (void)has_kernels_for_cuda();  // what registers them, or refuses, is linked
  library.def(
      "flow(Tensor velocities, Tensor points, Tensor time, float lower=0.0, float upper=1.0, str method=\"exact\", "
      "int steps=0) -> Tensor");
  library.def(
      "flow_backward(Tensor cotangents, Tensor velocities, Tensor points, Tensor time, float lower, float upper, "
      "str method, int steps, bool[3] wanted) -> (Tensor, Tensor, Tensor)");
}

TORCH_LIBRARY_IMPL(diffeo_cpp, CPU, library) {
  library.impl("flow", flow_cpu);
  library.impl("flow_backward", flow_backward_cpu);
}

TORCH_LIBRARY_IMPL(diffeo_cpp, Meta, library) {
  library.impl("flow", flow_shape);
  library.impl("flow_backward", flow_backward_shape);
}

TORCH_LIBRARY_IMPL(diffeo_cpp, Autograd, library) {
  library.impl("flow", flow_autograd);
  library.impl("flow_backward", torch::autograd::autogradNotImplementedFallback());
}

}  // namespace diffeo
