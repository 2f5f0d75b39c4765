// Bindings of diffeo/flow.hpp and diffeo/log_slope.hpp.
#include "diffeo/flow.hpp"

#include <string>

#include "bindings.hpp"
#include "diffeo/log_slope.hpp"
#include "flow_arguments.hpp"

namespace diffeo::python {
namespace {

/// The functions of one quantity of a flow, positions or log-slopes, for one precision.
template <class Real>
struct FlowFunctions {
  void (*value)(const FlowProblem<Real>&, Rows<Real>, std::size_t);
  void (*vjp)(const FlowProblem<Real>&, Rows<const Real>, FlowGradients<Real>, std::size_t);
  void (*jvp)(const FlowProblem<Real>&, const FlowTangents<Real>&, Rows<Real>, std::size_t);
  void (*jacobian)(const FlowProblem<Real>&, Rows<Real>, std::size_t);
};

template <class Real>
auto value_by(FlowFunctions<Real> functions) {
  return [=](const Array<Real>& velocities, const Array<Real>& points, const Array<double>& times, double lower,
             double upper, std::size_t threads) {
    return positions_by<Real>(
        {velocities, points, times, {lower, upper}},
        [&](const FlowProblem<Real>& problem, Rows<Real> result) { functions.value(problem, result, threads); });
  };
}

template <class Real>
auto vjp_by(FlowFunctions<Real> functions) {
  return [=](const Array<Real>& velocities, const Array<Real>& points, const Array<double>& times,
             const Array<Real>& cotangents, double lower, double upper, bool want_velocities, bool want_points,
             bool want_times, std::size_t threads) {
    return gradients_by<Real>(
        {velocities, points, times, {lower, upper}}, cotangents, {want_velocities, want_points, want_times},
        [&](const FlowProblem<Real>& problem, Rows<const Real> weights, FlowGradients<Real> gradients) {
          functions.vjp(problem, weights, gradients, threads);
        });
  };
}

template <class Real>
auto jvp_by(FlowFunctions<Real> functions) {
  return [=](const Array<Real>& velocities, const Array<Real>& points, const Array<double>& times,
             const OptionalArray<Real>& velocity_tangents, const OptionalArray<Real>& point_tangents,
             const Array<double>& time_tangents, double lower, double upper, std::size_t threads) {
    const FlowTangents<Real> tangents{rows(velocity_tangents), rows(point_tangents), values(time_tangents)};
    return positions_by<Real>({velocities, points, times, {lower, upper}},
                              [&](const FlowProblem<Real>& problem, Rows<Real> result) {
                                functions.jvp(problem, tangents, result, threads);
                              });
  };
}

template <class Real>
auto jacobian_by(FlowFunctions<Real> functions) {
  return [=](const Array<Real>& velocities, const Array<Real>& points, const Array<double>& times, double lower,
             double upper, std::size_t threads) {
    const FlowProblem<Real> problem{rows(velocities), rows(points), values(times), {lower, upper}};
    const std::size_t points_each = problem.points.columns;
    const std::size_t vertices = problem.velocities.columns;
    Array<Real> result = new_array<Real>(problem.batch(), points_each, vertices);
    const Rows<Real> jacobian(result.mutable_data(), problem.batch() * points_each, vertices);
    without_gil([&] { functions.jacobian(problem, jacobian, threads); });
    return result;
  };
}

template <class Real>
std::tuple<Array<Real>, Array<Real>, Array<Real>, Array<Real>> flow_derivatives_of(const Array<Real>& velocities,
                                                                                   const Array<Real>& points,
                                                                                   const Array<double>& times,
                                                                                   double lower, double upper,
                                                                                   std::size_t threads) {
  const FlowArguments<Real> arguments{velocities, points, times, {lower, upper}};
  std::tuple result{arguments.new_positions(), arguments.new_positions(), arguments.new_positions(),
                    arguments.new_positions()};
  auto& [position, by_point, by_time, log_slope] = result;
  const FlowProblem<Real> problem = arguments.problem();
  const FlowDerivatives<Real> derivatives{mutable_rows(position), mutable_rows(by_point), mutable_rows(by_time),
                                          mutable_rows(log_slope)};
  without_gil([&] { flow_derivatives(problem, derivatives, threads); });
  return result;
}

/// Under `name`, `name`_vjp, `name`_jvp and `name`_jacobian.
template <class Real>
void define_functions(py::module_& module, const std::string& name, FlowFunctions<Real> functions) {
  module.def(name.c_str(), value_by(functions), exact("velocities"), exact("points"), exact("times"), py::arg("lower"),
             py::arg("upper"), py::arg("threads"), "(batch, cells + 1), (1 or batch, n), (1 or batch,) -> (batch, n)");
  module.def((name + "_vjp").c_str(), vjp_by(functions), exact("velocities"), exact("points"), exact("times"),
             exact("cotangents"), py::arg("lower"), py::arg("upper"), py::arg("want_velocities"),
             py::arg("want_points"), py::arg("want_times"), py::arg("threads"),
             "Gradients in the shapes of velocities, points and times; None where not wanted.");
  module.def((name + "_jvp").c_str(), jvp_by(functions), exact("velocities"), exact("points"), exact("times"),
             exact("velocity_tangents"), exact("point_tangents"), exact("time_tangents"), py::arg("lower"),
             py::arg("upper"), py::arg("threads"), "(batch, n)");
  module.def((name + "_jacobian").c_str(), jacobian_by(functions), exact("velocities"), exact("points"), exact("times"),
             py::arg("lower"), py::arg("upper"), py::arg("threads"), "(batch, n, cells + 1)");
}

template <class Real>
void define_flow_for(py::module_& module) {
  define_functions<Real>(module, "flow", {flow<Real>, flow_vjp<Real>, flow_jvp<Real>, flow_jacobian<Real>});
  define_functions<Real>(
      module, "flow_log_slope",
      {flow_log_slope<Real>, flow_log_slope_vjp<Real>, flow_log_slope_jvp<Real>, flow_log_slope_jacobian<Real>});
  module.def("flow_derivatives", &flow_derivatives_of<Real>, exact("velocities"), exact("points"), exact("times"),
             py::arg("lower"), py::arg("upper"), py::arg("threads"),
             "The position, its derivatives by point and by time, and the log-slope, (batch, n) each.");
}

}  // namespace

void define_flow(py::module_& module) {
  define_flow_for<float>(module);
  define_flow_for<double>(module);
}

}  // namespace diffeo::python
