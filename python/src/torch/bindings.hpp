// One function per binding file; each adds the contents of one public header of the torch layer to the module.
#pragma once

#include <pybind11/pybind11.h>

namespace diffeo::python {

void define_temporal_transformer(pybind11::module_& module);

}  // namespace diffeo::python
