// Bindings of diffeo/soft_dtw.hpp.
#include "diffeo/soft_dtw.hpp"

#include <algorithm>

#include "arrays.hpp"
#include "bindings.hpp"
#include "series_view.hpp"

namespace diffeo::python {
namespace {

double value_of(const Array<double>& first, const Array<double>& second, double gamma) {
  const SeriesView<const double> a = series_view(first), b = series_view(second);
  return without_gil([&] { return soft_dtw(a, b, gamma); });
}

py::tuple gradient_of(const Array<double>& first, const Array<double>& second, double gamma) {
  const SeriesView<const double> a = series_view(first), b = series_view(second);
  const SoftDtwGradient gradient = without_gil([&] { return soft_dtw_gradient(a, b, gamma); });
  Array<double> by_first = new_array<double>(a.channels, a.length);
  std::copy(gradient.by_first.begin(), gradient.by_first.end(), by_first.mutable_data());
  return py::make_tuple(gradient.value, by_first);
}

}  // namespace

void define_soft_dtw(py::module_& module) {
  module.def("soft_dtw", &value_of, exact("first"), exact("second"), py::arg("gamma"));
  module.def("soft_dtw_gradient", &gradient_of, exact("first"), exact("second"), py::arg("gamma"),
             "(value, (channels, time)): the gradient by the first series");
}

}  // namespace diffeo::python
