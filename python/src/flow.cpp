// Bindings of diffeo/flow.hpp.
#include "diffeo/flow.hpp"

#include "bindings.hpp"
#include "flow_arguments.hpp"

namespace diffeo::python {
namespace {

template <class Real>
Array<Real> flow_of(const Array<Real>& velocities, const Array<Real>& points, const Array<double>& times, double lower,
                    double upper, std::size_t threads) {
  return positions_by<Real>(
      {velocities, points, times, {lower, upper}},
      [&](const FlowProblem<Real>& problem, Rows<Real> positions) { flow(problem, positions, threads); });
}

template <class Real>
FlowGradientArrays<Real> flow_vjp_of(const Array<Real>& velocities, const Array<Real>& points,
                                     const Array<double>& times, const Array<Real>& cotangents, double lower,
                                     double upper, bool want_velocities, bool want_points, bool want_times,
                                     std::size_t threads) {
  return gradients_by<Real>({velocities, points, times, {lower, upper}}, cotangents,
                            {want_velocities, want_points, want_times},
                            [&](const FlowProblem<Real>& problem, Rows<const Real> weights,
                                FlowGradients<Real> gradients) { flow_vjp(problem, weights, gradients, threads); });
}

template <class Real>
Array<Real> flow_jvp_of(const Array<Real>& velocities, const Array<Real>& points, const Array<double>& times,
                        const OptionalArray<Real>& velocity_tangents, const OptionalArray<Real>& point_tangents,
                        const Array<double>& time_tangents, double lower, double upper, std::size_t threads) {
  const FlowTangents<Real> tangents{rows(velocity_tangents), rows(point_tangents), values(time_tangents)};
  return positions_by<Real>({velocities, points, times, {lower, upper}},
                            [&](const FlowProblem<Real>& problem, Rows<Real> position_tangents) {
                              flow_jvp(problem, tangents, position_tangents, threads);
                            });
}

template <class Real>
Array<Real> flow_jacobian_of(const Array<Real>& velocities, const Array<Real>& points, const Array<double>& times,
                             double lower, double upper, std::size_t threads) {
  const FlowProblem<Real> problem{rows(velocities), rows(points), values(times), {lower, upper}};
  const std::size_t points_each = problem.points.columns;
  const std::size_t vertices = problem.velocities.columns;
  Array<Real> result = new_array<Real>(problem.batch(), points_each, vertices);
  const Rows<Real> jacobian(result.mutable_data(), problem.batch() * points_each, vertices);
  without_gil([&] { flow_jacobian(problem, jacobian, threads); });
  return result;
}

template <class Real>
std::tuple<Array<Real>, Array<Real>, Array<Real>> flow_derivatives_of(const Array<Real>& velocities,
                                                                      const Array<Real>& points,
                                                                      const Array<double>& times, double lower,
                                                                      double upper, std::size_t threads) {
  const FlowArguments<Real> arguments{velocities, points, times, {lower, upper}};
  std::tuple result{arguments.new_positions(), arguments.new_positions(), arguments.new_positions()};
  auto& [position, by_point, by_time] = result;
  const FlowProblem<Real> problem = arguments.problem();
  const FlowDerivatives<Real> derivatives{mutable_rows(position), mutable_rows(by_point), mutable_rows(by_time)};
  without_gil([&] { flow_derivatives(problem, derivatives, threads); });
  return result;
}

template <class Real>
void define_flow_for(py::module_& module) {
  module.def("flow", &flow_of<Real>, exact("velocities"), exact("points"), exact("times"), py::arg("lower"),
             py::arg("upper"), py::arg("threads"), "(batch, cells + 1), (1 or batch, n), (1 or batch,) -> (batch, n)");
  module.def("flow_vjp", &flow_vjp_of<Real>, exact("velocities"), exact("points"), exact("times"), exact("cotangents"),
             py::arg("lower"), py::arg("upper"), py::arg("want_velocities"), py::arg("want_points"),
             py::arg("want_times"), py::arg("threads"),
             "Gradients in the shapes of velocities, points and times; None where not wanted.");
  module.def("flow_jvp", &flow_jvp_of<Real>, exact("velocities"), exact("points"), exact("times"),
             exact("velocity_tangents"), exact("point_tangents"), exact("time_tangents"), py::arg("lower"),
             py::arg("upper"), py::arg("threads"), "(batch, n)");
  module.def("flow_jacobian", &flow_jacobian_of<Real>, exact("velocities"), exact("points"), exact("times"),
             py::arg("lower"), py::arg("upper"), py::arg("threads"), "(batch, n, cells + 1)");
  module.def("flow_derivatives", &flow_derivatives_of<Real>, exact("velocities"), exact("points"), exact("times"),
             py::arg("lower"), py::arg("upper"), py::arg("threads"),
             "The position and its derivatives by point and by time, (batch, n) each.");
}

}  // namespace

void define_flow(py::module_& module) {
  define_flow_for<float>(module);
  define_flow_for<double>(module);
}

}  // namespace diffeo::python
