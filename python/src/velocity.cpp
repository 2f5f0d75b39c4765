// Bindings of diffeo/velocity.hpp.
#include "diffeo/velocity.hpp"

#include "arrays.hpp"
#include "bindings.hpp"

namespace diffeo::python {
namespace {

template <class Real>
Array<Real> velocity_at(const Array<Real>& velocities, const Array<Real>& points, double lower, double upper,
                        std::size_t threads) {
  const Rows<const Real> from = rows(velocities);
  const Rows<const Real> at = rows(points);
  Array<Real> result = new_array<Real>(from.rows, at.columns);
  const Rows<Real> to = mutable_rows(result);
  without_gil([&] { velocity(from, at, Domain{lower, upper}, to, threads); });
  return result;
}

template <class Real>
void define_for(py::module_& module) {
  module.def("velocity", &velocity_at<Real>, exact("velocities"), exact("points"), py::arg("lower"), py::arg("upper"),
             py::arg("threads"), "(batch, cells + 1), (1 or batch, n) -> (batch, n)");
}

}  // namespace

void define_velocity(py::module_& module) {
  define_for<float>(module);
  define_for<double>(module);
}

}  // namespace diffeo::python
