// Bindings of diffeo/threads.hpp.
#include "diffeo/threads.hpp"

#include "bindings.hpp"

namespace diffeo::python {

void define_threads(pybind11::module_& module) {
  module.def("available_threads", &available_threads, "The number of cores this process may run on; at least 1.");
}

}  // namespace diffeo::python
