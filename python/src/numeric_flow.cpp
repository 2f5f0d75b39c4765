// Bindings of diffeo/numeric_flow.hpp.
#include "diffeo/numeric_flow.hpp"

#include "bindings.hpp"
#include "flow_arguments.hpp"

namespace diffeo::python {
namespace {

template <class Real>
Array<Real> flow_numeric_of(const Array<Real>& velocities, const Array<Real>& points, const Array<double>& times,
                            double lower, double upper, std::size_t threads, std::size_t steps) {
  return positions_by<Real>({velocities, points, times, {lower, upper}},
                            [&](const FlowProblem<Real>& problem, Rows<Real> positions) {
                              flow_numeric(problem, steps, positions, threads);
                            });
}

template <class Real>
FlowGradientArrays<Real> flow_numeric_vjp_of(const Array<Real>& velocities, const Array<Real>& points,
                                             const Array<double>& times, const Array<Real>& cotangents, double lower,
                                             double upper, bool want_velocities, bool want_points, bool want_times,
                                             std::size_t threads, std::size_t steps) {
  return gradients_by<Real>(
      {velocities, points, times, {lower, upper}}, cotangents, {want_velocities, want_points, want_times},
      [&](const FlowProblem<Real>& problem, Rows<const Real> weights, FlowGradients<Real> gradients) {
        flow_numeric_vjp(problem, steps, weights, gradients, threads);
      });
}

template <class Real>
Array<Real> flow_alternating_of(const Array<Real>& velocities, const Array<Real>& points, const Array<double>& times,
                                double lower, double upper, std::size_t threads, std::size_t steps,
                                std::size_t inner_steps) {
  return positions_by<Real>({velocities, points, times, {lower, upper}},
                            [&](const FlowProblem<Real>& problem, Rows<Real> positions) {
                              flow_alternating(problem, {steps, inner_steps}, positions, threads);
                            });
}

template <class Real>
FlowGradientArrays<Real> flow_alternating_vjp_of(const Array<Real>& velocities, const Array<Real>& points,
                                                 const Array<double>& times, const Array<Real>& cotangents,
                                                 double lower, double upper, bool want_velocities, bool want_points,
                                                 bool want_times, std::size_t threads, std::size_t steps,
                                                 std::size_t inner_steps) {
  return gradients_by<Real>(
      {velocities, points, times, {lower, upper}}, cotangents, {want_velocities, want_points, want_times},
      [&](const FlowProblem<Real>& problem, Rows<const Real> weights, FlowGradients<Real> gradients) {
        flow_alternating_vjp(problem, {steps, inner_steps}, weights, gradients, threads);
      });
}

template <class Real>
void define_numeric_flow_for(py::module_& module) {
  module.def("flow_numeric", &flow_numeric_of<Real>, exact("velocities"), exact("points"), exact("times"),
             py::arg("lower"), py::arg("upper"), py::arg("threads"), py::arg("steps"),
             "As `flow`, by Runge-Kutta steps of order 4.");
  module.def("flow_numeric_vjp", &flow_numeric_vjp_of<Real>, exact("velocities"), exact("points"), exact("times"),
             exact("cotangents"), py::arg("lower"), py::arg("upper"), py::arg("want_velocities"),
             py::arg("want_points"), py::arg("want_times"), py::arg("threads"), py::arg("steps"),
             "As `flow_vjp`, by Runge-Kutta steps of order 4.");
  module.def("flow_alternating", &flow_alternating_of<Real>, exact("velocities"), exact("points"), exact("times"),
             py::arg("lower"), py::arg("upper"), py::arg("threads"), py::arg("steps"), py::arg("inner_steps"),
             "As `flow`, by the alternating solver.");
  module.def("flow_alternating_vjp", &flow_alternating_vjp_of<Real>, exact("velocities"), exact("points"),
             exact("times"), exact("cotangents"), py::arg("lower"), py::arg("upper"), py::arg("want_velocities"),
             py::arg("want_points"), py::arg("want_times"), py::arg("threads"), py::arg("steps"),
             py::arg("inner_steps"), "As `flow_vjp`, by the alternating solver.");
}

}  // namespace

void define_numeric_flow(py::module_& module) {
  define_numeric_flow_for<float>(module);
  define_numeric_flow_for<double>(module);
}

}  // namespace diffeo::python
