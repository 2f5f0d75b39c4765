// One function per binding file; each adds the contents of one public header of the torch layer to the module.
#pragma once

#include <pybind11/pybind11.h>

namespace diffeo::python {

/// That of python/src/bindings.hpp: translators of exceptions hold for one module.
void define_file_errors(pybind11::module_& module);
void define_temporal_aligner(pybind11::module_& module);
void define_temporal_transformer(pybind11::module_& module);

}  // namespace diffeo::python
