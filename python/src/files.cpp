// Bindings of diffeo/files.hpp.
#include "diffeo/files.hpp"

#include <pybind11/stl/filesystem.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "label_column.hpp"

namespace diffeo::python {
namespace {

Dataset read(const std::filesystem::path& path, const LabelArgument& label) {
  const ReadOptions options = reading(label);
  return without_gil([&] { return read_dataset(path, options); });
}

void write(const std::filesystem::path& path, const Dataset& set) {
  without_gil([&] { write_dataset(path, set); });
}

}  // namespace

void define_files(py::module_& module) {
  module.def("read_dataset", &read, py::arg("path"), py::arg("label"));
  module.def("write_dataset", &write, py::arg("path"), py::arg("dataset"));
}

}  // namespace diffeo::python
