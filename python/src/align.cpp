// Bindings of diffeo/align_options.hpp, diffeo/align_pair.hpp, diffeo/align.hpp and diffeo/alignment_quality.hpp.
#include "diffeo/align.hpp"

#include <pybind11/functional.h>

#include <algorithm>
#include <optional>
#include <span>

#include "align_options.hpp"
#include "arrays.hpp"
#include "bindings.hpp"
#include "diffeo/align_pair.hpp"
#include "diffeo/alignment_quality.hpp"

namespace diffeo::python {
namespace {

SeriesView<const double> view(const Array<double>& series) {
  return {series.data(), extent(series, 0), extent(series, 1)};
}

template <class... Extents>
Array<double> array_from(const std::vector<double>& values, Extents... extents) {
  Array<double> result = new_array<double>(extents...);
  std::copy(values.begin(), values.end(), result.mutable_data());
  return result;
}

py::dict quality_of(std::span<const CaseQuality> quality) {
  const auto column = [&](auto member) {
    Array<double> result = new_array<double>(quality.size());
    std::ranges::transform(quality, result.mutable_data(),
                           [&](const CaseQuality& each) { return static_cast<double>(each.*member); });
    return result;
  };
  py::dict result;
  result["inverse_consistent_error"] = column(&CaseQuality::inverse_consistent_error);
  result["error_at_rest"] = column(&CaseQuality::error_at_rest);
  result["displacement"] = column(&CaseQuality::displacement);
  result["stretch"] = column(&CaseQuality::strongest_stretch);
  result["squeeze"] = column(&CaseQuality::strongest_squeeze);
  result["reliable"] = column(&CaseQuality::reliable);
  return result;
}

py::dict pair_of(const Array<double>& source, const Array<double>& target, const AlignOptions& options) {
  const SeriesView<const double> from = view(source);
  const SeriesView<const double> to = view(target);
  const AlignOptions interruptible = with_interrupts(options);
  const PairAlignment pair = without_gil([&] { return align_pair(from, to, interruptible); });
  py::dict result;
  result["velocities"] = array_from(pair.velocities, pair.velocities.size());
  result["warp"] = array_from(pair.warp, pair.length);
  result["inverse"] = array_from(pair.inverse, pair.length);
  result["aligned"] = array_from(pair.aligned, pair.channels, pair.length);
  result["initial_cost"] = pair.initial_cost;
  result["cost"] = pair.cost;
  result["difference"] = pair.difference;
  result["penalty"] = pair.penalty;
  result["converged"] = pair.converged;
  result["history"] = history_of(pair.history);
  result["quality"] = quality_of({&pair.quality, 1});
  return result;
}

Alignment alignment_of(const Dataset& series, const AlignOptions& options, const std::optional<Dataset>& templates) {
  const AlignOptions interruptible = with_interrupts(options);
  return on_series_x(
      [&] { return templates ? align_to(series, *templates, interruptible) : align(series, interruptible); });
}

double variance_of(const Dataset& aligned) {
  return without_gil([&] { return within_variance(aligned); });
}

double inverse_error_of(const Dataset& set, const Array<double>& velocities, const Array<double>& mean) {
  const Rows<const double> fields = rows(velocities);
  const SeriesView<const double> template_series = view(mean);
  return without_gil([&] { return inverse_consistent_error(set, fields, template_series); });
}

double warp_error_of(const Array<double>& velocities, const Array<double>& truth) {
  const Rows<const double> estimated = rows(velocities);
  const Rows<const double> expected = rows(truth);
  return without_gil([&] { return relative_warp_error(estimated, expected); });
}

/// before, after, percentile_95, failures
std::tuple<double, double, double, double> time_spread_of(const Array<double>& warps, const Array<double>& truth) {
  const Rows<const double> found = rows(warps);
  const Rows<const double> expected = rows(truth);
  const TrueTimeSpread spread = without_gil([&] { return true_time_spread(found, expected); });
  return {spread.before, spread.after, spread.percentile_95, spread.failures};
}

}  // namespace

void define_align(py::module_& module) {
  py::class_<AlignOptions> options(module, "AlignOptions", py::is_final());
  options.def(py::init(&make_options), py::arg("criterion"), py::arg("cells"), py::arg("zero_boundary"),
              py::arg("prior_weight"), py::arg("length_scale"), py::arg("smoothing"), py::arg("own_time"),
              py::arg("length"), py::arg("max_iterations"), py::arg("tolerance"), py::arg("threads"),
              py::arg("progress"));

  py::class_<ClassAlignment> one(module, "ClassAlignment", py::is_final());
  one.def_readonly("name", &ClassAlignment::name);
  one.def_readonly("variance_before", &ClassAlignment::variance_before);
  one.def_readonly("variance", &ClassAlignment::variance);
  one.def_readonly("cost", &ClassAlignment::cost);
  one.def_readonly("converged", &ClassAlignment::converged);
  one.def("history", [](const ClassAlignment& self) { return history_of(self.history); });

  py::class_<Alignment> alignment(module, "Alignment", py::is_final());
  alignment.def_readonly("aligned", &Alignment::aligned);
  alignment.def_readonly("mean", &Alignment::mean);
  alignment.def_readonly("classes", &Alignment::classes);
  alignment.def("quality", [](const Alignment& self) { return quality_of(self.quality); });
  alignment.def("velocities", [](const Alignment& self) { return array_of(Matrix(self.velocities)); });

  module.def("align_pair", &pair_of, exact("source"), exact("target"), py::arg("options"));
  module.def("align", &alignment_of, py::arg("series"), py::arg("options"), py::arg("templates"));
  module.def("within_variance", &variance_of, py::arg("aligned"));
  module.def("inverse_consistent_error", &inverse_error_of, py::arg("series"), exact("velocities"), exact("mean"));
  module.def("relative_warp_error", &warp_error_of, exact("velocities"), exact("truth"));
  module.def("true_time_spread", &time_spread_of, exact("warps"), exact("truth"));
}

}  // namespace diffeo::python
