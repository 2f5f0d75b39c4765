// Bindings of diffeo/nearest_centroid.hpp.
#include "diffeo/nearest_centroid.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "arrays.hpp"
#include "bindings.hpp"
#include "diffeo/error.hpp"

namespace diffeo::python {
namespace {

/// What the centroids are made with; options that a method does not have are not looked at.
struct MethodOptions {
  std::size_t length;
  std::optional<std::size_t> max_iterations;
  std::optional<double> tolerance;
  double gamma;
  WarpingWindow window;

  [[nodiscard]] DbaOptions dba() const {
    DbaOptions options;
    options.length = length;
    options.max_iterations = max_iterations.value_or(options.max_iterations);
    options.tolerance = tolerance.value_or(options.tolerance);
    options.window = window;
    options.between = raise_pending_interrupt;
    return options;
  }
  [[nodiscard]] SoftDtwBarycenterOptions soft_dtw() const {
    SoftDtwBarycenterOptions options;
    options.length = length;
    options.gamma = gamma;
    options.max_iterations = max_iterations.value_or(options.max_iterations);
    options.tolerance = tolerance.value_or(options.tolerance);
    options.between = raise_pending_interrupt;
    return options;
  }
  [[nodiscard]] CentroidMethod named(const std::string& method) const {
    if (method == "dba") return dba();
    if (method == "soft-dtw") return soft_dtw();
    require(method == "euclidean", "method: expected euclidean, dba or soft-dtw, got ", method);
    return MeanCentroids{length};
  }
};

CentroidDistance distance_named(const std::string& name) {
  require(name == "euclidean" || name == "dtw", "distance: expected euclidean or dtw, got ", name);
  return name == "dtw" ? CentroidDistance::dtw : CentroidDistance::euclidean;
}

NearestCentroid make_classifier(const std::string& method, const std::string& distance, std::size_t length,
                                std::optional<std::size_t> max_iterations, std::optional<double> tolerance,
                                double gamma, std::optional<std::size_t> radius, std::optional<double> window,
                                std::size_t threads) {
  const WarpingWindow limits{radius, window};
  const MethodOptions options{length, max_iterations, tolerance, gamma, limits};
  return NearestCentroid(options.named(method), {distance_named(distance), limits, threads, raise_pending_interrupt});
}

/// A classifier as it was after fit; one without a spread knows no probabilities.
NearestCentroid restored(const Dataset& centroids, std::optional<double> spread, const std::string& distance,
                         std::optional<std::size_t> radius, std::optional<double> window, std::size_t threads) {
  return NearestCentroid::from_centroids(
      centroids, nullptr, {distance_named(distance), {radius, window}, threads, raise_pending_interrupt}, spread);
}

/// Class k is called by its number, so that classes keep the order that Python gave them.
void fit(NearestCentroid& classifier, const Dataset& series, const Array<std::int64_t>& numbers, std::size_t classes) {
  std::vector<std::string> names;
  for (std::size_t number = 0; number < classes; ++number) names.push_back(std::to_string(number));
  Dataset training = series;
  training.set_labels(std::vector<std::size_t>(numbers.data(), numbers.data() + numbers.size()), std::move(names));
  on_series_x([&] { classifier.fit(training); });
}

Array<std::int64_t> predict(const NearestCentroid& classifier, const Dataset& series) {
  const std::vector<std::size_t> numbers = on_series_x([&] { return classifier.predict(series); });
  Array<std::int64_t> result = new_array<std::int64_t>(numbers.size());
  std::copy(numbers.begin(), numbers.end(), result.mutable_data());
  return result;
}

template <Matrix (NearestCentroid::*matrix)(const Dataset&) const>
Array<double> dense(const NearestCentroid& classifier, const Dataset& series) {
  return array_of(on_series_x([&] { return (classifier.*matrix)(series); }));
}

}  // namespace

void define_nearest_centroid(py::module_& module) {
  py::class_<NearestCentroid> classifier(module, "NearestCentroid", py::is_final());
  classifier.def(py::init(&make_classifier), py::arg("method"), py::arg("distance"), py::arg("length"),
                 py::arg("max_iterations"), py::arg("tolerance"), py::arg("gamma"), py::arg("radius"),
                 py::arg("window"), py::arg("threads"));
  classifier.def("fit", &fit, py::arg("series"), exact("numbers"), py::arg("classes"));
  classifier.def("centroids", [](const NearestCentroid& self) { return self.centroids(); });
  classifier.def("spread", [](const NearestCentroid& self) { return self.spread(); });
  classifier.def_static("restored", &restored, py::arg("centroids"), py::arg("spread"), py::arg("distance"),
                        py::arg("radius"), py::arg("window"), py::arg("threads"));
  classifier.def("predict", &predict, py::arg("series"));
  classifier.def("squared_distances", &dense<&NearestCentroid::squared_distances>, py::arg("series"));
  classifier.def("probabilities", &dense<&NearestCentroid::probabilities>, py::arg("series"));
}

}  // namespace diffeo::python
