// Bindings of diffeo/warp.hpp.
#include "diffeo/warp.hpp"

#include <tuple>

#include "arrays.hpp"
#include "bindings.hpp"

namespace diffeo::python {
namespace {

template <class Real>
using WarpGradientArrays = std::tuple<OptionalArray<Real>, OptionalArray<Real>, OptionalArray<double>>;

template <class Real>
Array<Real> warp_of(const Array<Real>& given, const Array<Real>& velocities, const Array<double>& times,
                    std::size_t length, std::size_t threads) {
  const WarpProblem<Real> problem{series(given), rows(velocities), values(times)};
  Array<Real> result = new_array<Real>(problem.series.cases, problem.series.channels, length);
  const Series<Real> warped = mutable_series(result);
  without_gil([&] { warp(problem, warped, threads); });
  return result;
}

template <class Real>
WarpGradientArrays<Real> warp_vjp_of(const Array<Real>& given, const Array<Real>& velocities,
                                     const Array<double>& times, const Array<Real>& cotangents, bool want_series,
                                     bool want_velocities, bool want_times, std::size_t threads) {
  WarpGradientArrays<Real> result{new_array_if(want_series, given), new_array_if(want_velocities, velocities),
                                  new_array_if(want_times, times)};
  auto& [by_series, by_velocity, by_time] = result;
  const WarpProblem<Real> problem{series(given), rows(velocities), values(times)};
  const Series<const Real> weights = series(cotangents);
  const WarpGradients<Real> gradients{mutable_series(by_series), mutable_rows(by_velocity), mutable_values(by_time)};
  without_gil([&] { warp_vjp(problem, weights, gradients, threads); });
  return result;
}

template <class Real>
void define_warp_for(py::module_& module) {
  module.def("warp", &warp_of<Real>, exact("series"), exact("velocities"), exact("times"), py::arg("length"),
             py::arg("threads"),
             "(cases, channels, time), (1 or cases, cells + 1), (1 or cases,) -> (cases, channels, length)");
  module.def("warp_vjp", &warp_vjp_of<Real>, exact("series"), exact("velocities"), exact("times"), exact("cotangents"),
             py::arg("want_series"), py::arg("want_velocities"), py::arg("want_times"), py::arg("threads"),
             "Gradients in the shapes of series, velocities and times; None where not wanted.");
}

}  // namespace

void define_warp(py::module_& module) {
  define_warp_for<float>(module);
  define_warp_for<double>(module);
}

}  // namespace diffeo::python
