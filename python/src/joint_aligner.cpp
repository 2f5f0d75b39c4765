// Bindings of diffeo/joint_aligner.hpp.
#include "diffeo/joint_aligner.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "align_options.hpp"
#include "arrays.hpp"
#include "bindings.hpp"

namespace diffeo::python {
namespace {

JointAligner make_aligner(const AlignOptions& options, const std::optional<Dataset>& templates) {
  return JointAligner(with_interrupts(options), templates.value_or(Dataset()));
}

/// A model as Python keeps it.
using ModelNumbers = std::array<double, 7>;

std::vector<ModelNumbers> models_of(const JointAligner& aligner) {
  std::vector<ModelNumbers> result;
  for (const ClassAlignment& each : aligner.alignment().classes) {
    const AlignmentModel& model = each.model;
    result.push_back({model.noise, model.height_ratio, model.warp_ratio, model.warp_length_scale,
                      model.height_length_scale, model.scale, model.gain_ratio});
  }
  return result;
}

JointAligner restored(const AlignOptions& options, const Dataset& means, const std::vector<ModelNumbers>& numbers,
                      const std::optional<Dataset>& templates) {
  std::vector<AlignmentModel> models;
  for (const ModelNumbers& each : numbers) {
    models.push_back({.noise = each[0],
                      .height_ratio = each[1],
                      .gain_ratio = each[6],
                      .warp_ratio = each[2],
                      .warp_length_scale = each[3],
                      .height_length_scale = each[4],
                      .scale = each[5]});
  }
  return JointAligner(with_interrupts(options), means, models, templates.value_or(Dataset()));
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
  aligner.def_static("restored", &restored, py::arg("options"), py::arg("means"), py::arg("models"),
                     py::arg("templates"));
  aligner.def("models", &models_of);
  aligner.def("fit", &fit, py::arg("training"));
  aligner.def("velocities", &velocities_of, py::arg("series"), py::arg("threads"), "(cases, cells + 1)");
  aligner.def("warped", &warped_by, py::arg("series"), exact("velocities"), py::arg("threads"));
  aligner.def_property_readonly("alignment", &JointAligner::alignment);
  aligner.def_property_readonly("templates", [](const JointAligner& self) {
    return self.templates().empty() ? std::nullopt : std::optional<Dataset>(self.templates());
  });
}

}  // namespace diffeo::python
