// Bindings of diffeo/joint_aligner.hpp.
#include "diffeo/joint_aligner.hpp"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "align_options.hpp"
#include "arrays.hpp"
#include "bindings.hpp"

namespace diffeo::python {
namespace {

JointAligner make_aligner(const AlignOptions& options, const std::optional<Dataset>& templates) {
  return JointAligner(with_interrupts(options), templates.value_or(Dataset()));
}

/// By the names of Python's parameters; None is what they mean by "from the data".
py::dict options_of(const JointAligner& aligner) {
  const AlignOptions& options = aligner.options();
  const auto unless_zero = [](auto value) { return value == 0 ? py::object(py::none()) : py::cast(value); };
  py::dict result;
  result["criterion"] = align_criterion_names()[static_cast<std::size_t>(options.criterion)];
  result["cells"] = options.cells;
  result["zero_boundary"] = options.zero_boundary;
  result["prior_weight"] = unless_zero(options.prior_weight);
  result["length_scale"] = unless_zero(options.length_scale);
  result["smoothing"] = options.smoothing;
  result["own_time"] = options.own_time;
  result["length"] = unless_zero(options.length);
  result["max_iterations"] = options.max_iterations;
  result["tolerance"] = options.tolerance;
  return result;
}

py::bytes bytes_of(const JointAligner& aligner) {
  const std::vector<std::byte> bytes = aligner.bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

JointAligner from_bytes(const py::bytes& bytes, std::size_t threads) {
  const std::string_view content = bytes;
  return JointAligner::from_bytes(std::as_bytes(std::span(content)), threads);
}

void fit(JointAligner& aligner, const Dataset& training) {
  on_series_x([&] { aligner.fit(training); });
}

Array<double> velocities_of(const JointAligner& aligner, const Dataset& series, std::size_t threads) {
  return array_of(on_series_x([&] { return aligner.velocities(series, threads, raise_pending_interrupt); }));
}

Dataset warped_by(const JointAligner& aligner, const Dataset& series, const Array<double>& velocities,
                  std::size_t threads) {
  Matrix fields(extent(velocities, 0), extent(velocities, 1));
  std::copy_n(velocities.data(), velocities.size(), fields.values().data());
  return on_series_x([&] { return aligner.warped(series, fields, threads); });
}

}  // namespace

void define_joint_aligner(py::module_& module) {
  py::class_<JointAligner> aligner(module, "JointAligner", py::is_final());
  aligner.def(py::init(&make_aligner), py::arg("options"), py::arg("templates"));
  aligner.def_static("load", &JointAligner::load, py::arg("path"), py::arg("threads"));
  aligner.def_static("from_bytes", &from_bytes, py::arg("bytes"), py::arg("threads"));
  aligner.def("save", &JointAligner::save, py::arg("path"));
  aligner.def("bytes", &bytes_of);
  aligner.def("fit", &fit, py::arg("training"));
  aligner.def("velocities", &velocities_of, py::arg("series"), py::arg("threads"), "(cases, cells + 1)");
  aligner.def("warped", &warped_by, py::arg("series"), exact("velocities"), py::arg("threads"));
  aligner.def_property_readonly("alignment", &JointAligner::alignment);
  aligner.def_property_readonly("options", &options_of);
  aligner.def_property_readonly("templates", [](const JointAligner& self) {
    return self.templates().empty() ? std::nullopt : std::optional<Dataset>(self.templates());
  });
}

}  // namespace diffeo::python
