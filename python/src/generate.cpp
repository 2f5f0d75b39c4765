// Bindings of diffeo/generate.hpp and diffeo/generate_warped.hpp.
#include "diffeo/generate.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "diffeo/generate_warped.hpp"

namespace diffeo::python {
namespace {

Dataset cbf(std::size_t cases, std::uint64_t seed, std::size_t length) {
  return without_gil([&] { return generate_cbf(cases, seed, length); });
}

Dataset synthetic_control(std::size_t cases, std::uint64_t seed, std::size_t length) {
  return without_gil([&] { return generate_synthetic_control(cases, seed, length); });
}

/// The set, the velocities and the templates.
std::tuple<Dataset, Array<double>, Dataset> bumps(std::size_t cases, std::uint64_t seed, std::size_t classes,
                                                  std::size_t channels, std::size_t length, std::size_t bump_count,
                                                  std::size_t cells, double length_scale, double displacement,
                                                  double noise) {
  const BumpsOptions options{.classes = classes,
                             .channels = channels,
                             .length = length,
                             .bumps = bump_count,
                             .cells = cells,
                             .length_scale = length_scale,
                             .displacement = displacement,
                             .noise = noise};
  Bumps result = without_gil([&] { return generate_bumps(cases, seed, options); });
  return {std::move(result.dataset), array_of(std::move(result.velocities)), std::move(result.templates)};
}

/// The set, the warps, the marks, the template and its marks. Without a value an option has the kind's default.
std::tuple<Dataset, Array<double>, Array<double>, Dataset, std::vector<double>> warped(
    const std::string& kind_name, std::size_t cases, std::uint64_t seed, const std::optional<std::string>& family,
    std::optional<double> displacement, std::optional<double> height, std::optional<double> width,
    std::optional<double> noise, std::optional<std::size_t> length, double length_spread, double missing,
    std::size_t channels, std::size_t peaks) {
  const WarpedKind kind = warped_kind(kind_name);
  WarpedOptions options = default_warped_options(kind);
  if (family) options.family = warp_family(*family);
  options.displacement = displacement.value_or(options.displacement);
  options.height = height.value_or(options.height);
  options.width = width.value_or(options.width);
  options.noise = noise.value_or(options.noise);
  options.length = length.value_or(options.length);
  options.length_spread = length_spread;
  options.missing = missing;
  options.channels = channels;
  options.peaks = peaks;
  WarpedSeries result = without_gil([&] { return generate_warped(kind, cases, seed, options); });
  return {std::move(result.dataset), array_of(std::move(result.warps)), array_of(std::move(result.marks)),
          std::move(result.template_case), std::move(result.template_marks)};
}

}  // namespace

void define_generate(py::module_& module) {
  module.def("generate_cbf", &cbf, py::arg("cases"), py::arg("seed"), py::arg("length"));
  module.def("generate_synthetic_control", &synthetic_control, py::arg("cases"), py::arg("seed"), py::arg("length"));
  module.def("generate_bumps", &bumps, py::arg("cases"), py::arg("seed"), py::arg("classes"), py::arg("channels"),
             py::arg("length"), py::arg("bumps"), py::arg("cells"), py::arg("length_scale"), py::arg("displacement"),
             py::arg("noise"));
  module.def("generate_warped", &warped, py::arg("kind"), py::arg("cases"), py::arg("seed"), py::arg("family"),
             py::arg("displacement"), py::arg("height"), py::arg("width"), py::arg("noise"), py::arg("length"),
             py::arg("length_spread"), py::arg("missing"), py::arg("channels"), py::arg("peaks"));
}

}  // namespace diffeo::python
