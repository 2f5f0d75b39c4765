// Bindings of diffeo/files.hpp.
#include "diffeo/files.hpp"

#include <pybind11/stl/filesystem.h>

#include <optional>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "label_column.hpp"

namespace diffeo::python {
namespace {

Dataset read(const std::filesystem::path& path, const LabelArgument& label, char delimiter, char decimal,
             std::optional<bool> header, const std::vector<std::string>& columns, const std::string& id,
             const std::string& time, const std::string& value, std::uint64_t max_size) {
  ReadOptions options = reading(label);
  options.table = {delimiter, decimal, header, columns, id, time, value};
  options.max_size = max_size;
  std::string warning;
  options.warning = [&](const std::string& text) { warning = text; };
  Dataset set = without_gil([&] { return read_dataset(path, options); });
  constexpr int kCallerOfLoad = 2;
  if (!warning.empty() && PyErr_WarnEx(PyExc_UserWarning, warning.c_str(), kCallerOfLoad) != 0) {
    throw py::error_already_set();
  }
  return set;
}

void write(const std::filesystem::path& path, const Dataset& set) {
  without_gil([&] { write_dataset(path, set); });
}

}  // namespace

void define_files(py::module_& module) {
  module.def("read_dataset", &read, py::arg("path"), py::arg("label"), py::arg("delimiter") = '\0',
             py::arg("decimal") = '\0', py::arg("header") = std::nullopt,
             py::arg("columns") = std::vector<std::string>(), py::arg("id") = "", py::arg("time") = "",
             py::arg("value") = "", py::arg("max_size") = 0);
  module.def("write_dataset", &write, py::arg("path"), py::arg("dataset"));
}

}  // namespace diffeo::python
