// Bindings of diffeo/version.hpp.
#include "diffeo/version.hpp"

#include "bindings.hpp"

namespace diffeo::python {

void define_version(pybind11::module_& module) {
  module.attr("__version__") = version();
  module.def("compiler", &compiler, "The compiler the library was built with.");
  module.def("instruction_set", &instruction_set, "The kernels that this machine runs.");
}

}  // namespace diffeo::python
