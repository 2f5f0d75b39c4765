// Bindings of diffeo/warp_space.hpp.
#include "diffeo/warp_space.hpp"

#include <string>

#include "arrays.hpp"
#include "bindings.hpp"

namespace diffeo::python {
namespace {

WarpSpace make_space(std::size_t cells, bool zero_boundary, const std::string& basis, double lower, double upper) {
  return without_gil([&] { return WarpSpace(cells, zero_boundary, basis_from_name(basis), lower, upper); });
}

template <Matrix (WarpSpace::*matrix)() const>
Array<double> dense(const WarpSpace& space) {
  return array_of(without_gil([&] { return (space.*matrix)(); }));
}

template <class Real>
Array<Real> velocities_of(const WarpSpace& space, const Array<Real>& theta) {
  Array<Real> result = new_array<Real>(extent(theta, 0), space.tessellation().vertices());
  const Rows<const Real> from = rows(theta);
  const Rows<Real> to = mutable_rows(result);
  without_gil([&] { space.velocities(from, to); });
  return result;
}

template <class Real>
Array<Real> theta_of(const WarpSpace& space, const Array<Real>& velocities) {
  Array<Real> result = new_array<Real>(extent(velocities, 0), space.dimension());
  const Rows<const Real> from = rows(velocities);
  const Rows<Real> to = mutable_rows(result);
  without_gil([&] { space.theta(from, to); });
  return result;
}

template <class Real>
Array<Real> theta_gradient_of(const WarpSpace& space, const Array<Real>& velocity_gradients) {
  Array<Real> result = new_array<Real>(extent(velocity_gradients, 0), space.dimension());
  const Rows<const Real> from = rows(velocity_gradients);
  const Rows<Real> to = mutable_rows(result);
  without_gil([&] { space.theta_gradient(from, to); });
  return result;
}

template <class Real>
void define_for(py::class_<WarpSpace>& space) {
  space.def("velocities", &velocities_of<Real>, exact("theta"), "(rows, d) -> (rows, cells + 1)")
      .def("theta", &theta_of<Real>, exact("velocities"), "(rows, cells + 1) -> (rows, d)")
      .def("theta_gradient", &theta_gradient_of<Real>, exact("velocity_gradients"), "(rows, cells + 1) -> (rows, d)");
}

}  // namespace

void define_warp_space(py::module_& module) {
  py::class_<WarpSpace> space(module, "WarpSpace", py::is_final());
  space.def(py::init(&make_space), py::arg("cells"), py::arg("zero_boundary"), py::arg("basis"), py::arg("lower"),
            py::arg("upper"));
  space.def_property_readonly("dimension", &WarpSpace::dimension);
  space.def("constraints", &dense<&WarpSpace::constraints>, "(rows, 2 * cells)");
  space.def("affine_basis", &dense<&WarpSpace::affine_basis>, "(2 * cells, d)");
  space.def("vertex_basis", &dense<&WarpSpace::vertex_basis>, "(cells + 1, d)");
  define_for<float>(space);
  define_for<double>(space);
}

}  // namespace diffeo::python
