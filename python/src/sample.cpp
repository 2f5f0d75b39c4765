// Bindings of diffeo/sample.hpp.
#include "diffeo/sample.hpp"

#include <tuple>

#include "arrays.hpp"
#include "bindings.hpp"

namespace diffeo::python {
namespace {

template <class Real>
using SampleGradientArrays = std::tuple<OptionalArray<Real>, OptionalArray<Real>, OptionalArray<Real>>;

template <class Real>
Array<Real> sample_of(const Array<Real>& given, const Array<Real>& positions, const OptionalArray<Real>& grid,
                      std::size_t threads) {
  const SampleProblem<Real> problem{series(given), rows(positions), rows(grid)};
  Array<Real> result = new_array<Real>(problem.series.cases, problem.series.channels, problem.positions.columns);
  const Series<Real> samples = mutable_series(result);
  without_gil([&] { sample(problem, samples, threads); });
  return result;
}

template <class Real>
SampleGradientArrays<Real> sample_vjp_of(const Array<Real>& given, const Array<Real>& positions,
                                         const Array<Real>& cotangents, const OptionalArray<Real>& grid,
                                         bool want_series, bool want_positions, bool want_grid, std::size_t threads) {
  SampleGradientArrays<Real> result{new_array_if(want_series, given), new_array_if(want_positions, positions),
                                    grid ? new_array_if(want_grid, *grid) : std::nullopt};
  auto& [by_series, by_position, by_node] = result;
  const SampleProblem<Real> problem{series(given), rows(positions), rows(grid)};
  const Series<const Real> weights = series(cotangents);
  const SampleGradients<Real> gradients{mutable_series(by_series), mutable_rows(by_position), mutable_rows(by_node)};
  without_gil([&] { sample_vjp(problem, weights, gradients, threads); });
  return result;
}

template <class Real>
void define_sample_for(py::module_& module) {
  module.def("sample", &sample_of<Real>, exact("series"), exact("positions"), exact("grid"), py::arg("threads"),
             "(cases, channels, time), (1 or cases, n), None or (1 or cases, time) -> (cases, channels, n)");
  module.def("sample_vjp", &sample_vjp_of<Real>, exact("series"), exact("positions"), exact("cotangents"),
             exact("grid"), py::arg("want_series"), py::arg("want_positions"), py::arg("want_grid"), py::arg("threads"),
             "Gradients in the shapes of series, positions and grid; None where not wanted.");
}

}  // namespace

void define_sample(py::module_& module) {
  define_sample_for<float>(module);
  define_sample_for<double>(module);
}

}  // namespace diffeo::python
