// Bindings of diffeo/prior.hpp.
#include "diffeo/prior.hpp"

#include <cstdint>

#include "arrays.hpp"
#include "bindings.hpp"

namespace diffeo::python {
namespace {

Prior make_prior(const WarpSpace& space, double variance, double length_scale) {
  return without_gil([&] { return Prior(space, variance, length_scale); });
}

template <Matrix (Prior::*matrix)() const>
Array<double> dense(const Prior& prior) {
  return array_of(without_gil([&] { return (prior.*matrix)(); }));
}

Array<double> penalty_of(const Prior& prior, const Array<double>& theta) {
  Array<double> result = new_array<double>(extent(theta, 0));
  const Rows<const double> from = rows(theta);
  const std::span<double> to = mutable_values(result);
  without_gil([&] {
    for (std::size_t row = 0; row < from.rows; ++row) to[row] = prior.penalty(from.row(row));
  });
  return result;
}

Array<double> penalty_gradient_of(const Prior& prior, const Array<double>& theta) {
  Array<double> result = new_array<double>(extent(theta, 0), extent(theta, 1));
  const Rows<const double> from = rows(theta);
  const Rows<double> to = mutable_rows(result);
  without_gil([&] {
    for (std::size_t row = 0; row < from.rows; ++row) prior.penalty_gradient(from.row(row), to.row(row));
  });
  return result;
}

Array<double> sample_of(const Prior& prior, std::size_t count, std::uint64_t seed) {
  return array_of(without_gil([&] { return prior.sample(count, seed); }));
}

}  // namespace

void define_prior(py::module_& module) {
  py::class_<Prior> prior(module, "Prior", py::is_final());
  prior.def(py::init(&make_prior), py::arg("space"), py::arg("variance"), py::arg("length_scale"));
  prior.def("covariance", &dense<&Prior::covariance>, "(d, d)");
  prior.def("precision", &dense<&Prior::precision>, "(d, d)");
  prior.def("penalty", &penalty_of, exact("theta"), "(rows, d) -> (rows,)");
  prior.def("penalty_gradient", &penalty_gradient_of, exact("theta"), "(rows, d) -> (rows, d)");
  prior.def("sample", &sample_of, py::arg("count"), py::arg("seed"), "(count, d)");
}

}  // namespace diffeo::python
