// Bindings of diffeo/generate.hpp.
#include "diffeo/generate.hpp"

#include <cstdint>
#include <tuple>
#include <utility>

#include "arrays.hpp"
#include "bindings.hpp"

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

}  // namespace

void define_generate(py::module_& module) {
  module.def("generate_cbf", &cbf, py::arg("cases"), py::arg("seed"), py::arg("length"));
  module.def("generate_synthetic_control", &synthetic_control, py::arg("cases"), py::arg("seed"), py::arg("length"));
  module.def("generate_bumps", &bumps, py::arg("cases"), py::arg("seed"), py::arg("classes"), py::arg("channels"),
             py::arg("length"), py::arg("bumps"), py::arg("cells"), py::arg("length_scale"), py::arg("displacement"),
             py::arg("noise"));
}

}  // namespace diffeo::python
