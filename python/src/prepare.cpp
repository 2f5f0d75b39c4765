// Bindings of diffeo/prepare.hpp.
#include "diffeo/prepare.hpp"

#include "arrays.hpp"
#include "bindings.hpp"

namespace diffeo::python {
namespace {

Dataset normalized(const Dataset& set) {
  return without_gil([&] { return z_normalize(set); });
}

Dataset resampled(const Dataset& set, std::size_t length) {
  return without_gil([&] { return resample(set, length); });
}

Dataset filled(const Dataset& set) {
  return without_gil([&] { return fill_missing(set); });
}

}  // namespace

void define_prepare(py::module_& module) {
  module.def("z_normalize", &normalized, py::arg("set"));
  module.def("resample", &resampled, py::arg("set"), py::arg("length"));
  module.def("fill_missing", &filled, py::arg("set"));
}

}  // namespace diffeo::python
