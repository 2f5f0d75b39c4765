// Bindings of diffeo/barycenter.hpp, diffeo/euclidean_mean.hpp, diffeo/dba.hpp and diffeo/soft_dtw_barycenter.hpp.
#include "diffeo/barycenter.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "arrays.hpp"
#include "bindings.hpp"
#include "diffeo/dba.hpp"
#include "diffeo/error.hpp"
#include "diffeo/euclidean_mean.hpp"
#include "diffeo/soft_dtw_barycenter.hpp"

namespace diffeo::python {
namespace {

Array<double> array_from(const std::vector<double>& from, std::vector<py::ssize_t> shape) {
  Array<double> result(std::move(shape));
  std::copy(from.begin(), from.end(), result.mutable_data());
  return result;
}

py::tuple tuple_of(const Barycenter& found) {
  const auto length = static_cast<py::ssize_t>(found.series().length);
  return py::make_tuple(array_from(found.values, {static_cast<py::ssize_t>(found.channels), length}),
                        array_from(found.history, {static_cast<py::ssize_t>(found.history.size())}), found.iterations,
                        found.converged);
}

/// A start of the caller's own: channels as the cases have.
std::vector<double> initial_of(const Dataset& cases, const OptionalArray<double>& initial) {
  if (!initial) return {};
  require(extent(*initial, 0) == cases.channels(), "initial: expected ", cases.channels(),
          " channels as the cases have, got ", extent(*initial, 0));
  return {initial->data(), initial->data() + initial->size()};
}

DbaStart start_named(const std::string& name) {
  if (name == "mean") return DbaStart::kMean;
  if (name == "medoid") return DbaStart::kMedoid;
  require(name == "random", "init: expected mean, medoid, random or a series, got ", name);
  return DbaStart::kRandomCase;
}

py::tuple mean_of(const Dataset& cases, std::size_t length) {
  return tuple_of(without_gil([&] { return euclidean_mean(cases, length); }));
}

py::tuple dba_of(const Dataset& cases, std::size_t max_iterations, double tolerance, std::size_t length,
                 const std::string& start, std::uint64_t seed, std::optional<std::size_t> radius,
                 std::optional<double> window, const OptionalArray<double>& initial, std::size_t threads) {
  const DbaOptions options{
      max_iterations,         tolerance, length, start_named(start), seed, {radius, window}, initial_of(cases, initial),
      raise_pending_interrupt};
  return tuple_of(without_gil([&] { return dba(cases, options, threads); }));
}

py::tuple soft_of(const Dataset& cases, double gamma, std::size_t max_iterations, double tolerance, std::size_t length,
                  const OptionalArray<double>& initial, std::size_t threads) {
  const SoftDtwBarycenterOptions options{
      gamma, max_iterations, tolerance, length, initial_of(cases, initial), raise_pending_interrupt};
  return tuple_of(without_gil([&] { return soft_dtw_barycenter(cases, options, threads); }));
}

}  // namespace

void define_barycenter(py::module_& module) {
  const char* const result = "((channels, length), history, iterations, converged)";
  module.def("euclidean_mean", &mean_of, py::arg("cases"), py::arg("length"), result);
  module.def("dba", &dba_of, py::arg("cases"), py::arg("max_iterations"), py::arg("tolerance"), py::arg("length"),
             py::arg("start"), py::arg("seed"), py::arg("radius"), py::arg("window"), py::arg("initial"),
             py::arg("threads"), result);
  module.def("soft_dtw_barycenter", &soft_of, py::arg("cases"), py::arg("gamma"), py::arg("max_iterations"),
             py::arg("tolerance"), py::arg("length"), py::arg("initial"), py::arg("threads"), result);
}

}  // namespace diffeo::python
