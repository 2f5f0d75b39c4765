// Bindings of diffeo/files.hpp.
#include "diffeo/files.hpp"

#include <pybind11/stl/filesystem.h>

#include "arrays.hpp"
#include "bindings.hpp"

namespace diffeo::python {
namespace {

/// None: the usual column; False: none; a name or a number: that one.
using LabelArgument = std::optional<std::variant<bool, std::ptrdiff_t, std::string>>;

LabelColumn label_column(const LabelArgument& label) {
  if (!label) return UsualLabelColumn{};
  if (std::holds_alternative<bool>(*label)) return NoLabelColumn{};
  if (const std::ptrdiff_t* number = std::get_if<std::ptrdiff_t>(&*label)) return *number;
  return std::get<std::string>(*label);
}

Dataset read(const std::filesystem::path& path, const LabelArgument& label) {
  const ReadOptions options{label_column(label)};
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
