// Bindings of diffeo/scaling_squaring.hpp.
#include "diffeo/scaling_squaring.hpp"

#include "bindings.hpp"
#include "flow_arguments.hpp"

namespace diffeo::python {
namespace {

template <class Real>
Array<Real> flow_scaling_squaring_of(const Array<Real>& velocities, const Array<Real>& points,
                                     const Array<double>& times, double lower, double upper, std::size_t threads,
                                     std::size_t squarings) {
  return positions_by<Real>({velocities, points, times, {lower, upper}},
                            [&](const FlowProblem<Real>& problem, Rows<Real> positions) {
                              flow_scaling_squaring(problem, squarings, positions, threads);
                            });
}

template <class Real>
FlowGradientArrays<Real> flow_scaling_squaring_vjp_of(const Array<Real>& velocities, const Array<Real>& points,
                                                      const Array<double>& times, const Array<Real>& cotangents,
                                                      double lower, double upper, bool want_velocities,
                                                      bool want_points, bool want_times, std::size_t threads,
                                                      std::size_t squarings) {
  return gradients_by<Real>(
      {velocities, points, times, {lower, upper}}, cotangents, {want_velocities, want_points, want_times},
      [&](const FlowProblem<Real>& problem, Rows<const Real> weights, FlowGradients<Real> gradients) {
        flow_scaling_squaring_vjp(problem, squarings, weights, gradients, threads);
      });
}

template <class Real>
void define_scaling_squaring_for(py::module_& module) {
  module.def("flow_scaling_squaring", &flow_scaling_squaring_of<Real>, exact("velocities"), exact("points"),
             exact("times"), py::arg("lower"), py::arg("upper"), py::arg("threads"), py::arg("squarings"),
             "As `flow`, by scaling and squaring.");
  module.def("flow_scaling_squaring_vjp", &flow_scaling_squaring_vjp_of<Real>, exact("velocities"), exact("points"),
             exact("times"), exact("cotangents"), py::arg("lower"), py::arg("upper"), py::arg("want_velocities"),
             py::arg("want_points"), py::arg("want_times"), py::arg("threads"), py::arg("squarings"),
             "As `flow_vjp`, by scaling and squaring.");
}

}  // namespace

void define_scaling_squaring(py::module_& module) {
  define_scaling_squaring_for<float>(module);
  define_scaling_squaring_for<double>(module);
}

}  // namespace diffeo::python
