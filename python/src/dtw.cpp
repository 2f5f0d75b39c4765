// Bindings of diffeo/dtw.hpp.
#include "diffeo/dtw.hpp"

#include <cstdint>

#include "arrays.hpp"
#include "bindings.hpp"
#include "series_view.hpp"

namespace diffeo::python {
namespace {

using Radius = std::optional<std::size_t>;
using Fraction = std::optional<double>;

double distance_of(const Array<double>& first, const Array<double>& second, Radius radius, Fraction fraction) {
  const SeriesView<const double> a = series_view(first), b = series_view(second);
  return without_gil([&] { return dtw(a, b, {radius, fraction}); });
}

py::tuple path_of(const Array<double>& first, const Array<double>& second, Radius radius, Fraction fraction) {
  const SeriesView<const double> a = series_view(first), b = series_view(second);
  const WarpingPath path = without_gil([&] { return dtw_path(a, b, {radius, fraction}); });
  Array<std::int64_t> steps = new_array<std::int64_t>(path.steps.size(), std::size_t{2});
  std::int64_t* to = steps.mutable_data();
  for (const PathStep& step : path.steps) {
    *to++ = static_cast<std::int64_t>(step.first);
    *to++ = static_cast<std::int64_t>(step.second);
  }
  return py::make_tuple(steps, path.distance);
}

Array<double> matrix_of(const Dataset& rows, const Dataset* columns, Radius radius, Fraction fraction,
                        std::size_t threads) {
  return array_of(without_gil([&] {
    const WarpingWindow window{radius, fraction};
    return columns == nullptr ? dtw_matrix(rows, window, threads) : dtw_matrix(rows, *columns, window, threads);
  }));
}

}  // namespace

void define_dtw(py::module_& module) {
  module.def("dtw", &distance_of, exact("first"), exact("second"), py::arg("radius"), py::arg("window"));
  module.def("dtw_path", &path_of, exact("first"), exact("second"), py::arg("radius"), py::arg("window"),
             "((steps, 2), distance)");
  module.def("dtw_matrix", &matrix_of, py::arg("rows"), py::arg("columns").none(true), py::arg("radius"),
             py::arg("window"), py::arg("threads"),
             "(rows, columns); between the rows themselves where columns is None");
}

}  // namespace diffeo::python
