// Bindings of diffeo/dataset.hpp.
#include "diffeo/dataset.hpp"

#include <string>

#include "arrays.hpp"
#include "bindings.hpp"
#include "diffeo/error.hpp"

namespace diffeo::python {
namespace {

using Labels = std::optional<std::vector<std::string>>;

Dataset labeled(Dataset set, const Labels& labels) {
  if (labels) set.set_labels(*labels);
  return set;
}

Dataset from_block(const Array<double>& block, const Labels& labels) { return labeled(Dataset(series(block)), labels); }

Dataset from_list(const std::vector<Array<double>>& items, const Labels& labels) {
  Dataset result(items.empty() ? 1 : extent(items.front(), 0));
  for (std::size_t item = 0; item < items.size(); ++item) {
    require(extent(items[item], 0) == result.channels(), "case ", item, ": expected ", result.channels(),
            " channels as in case 0, got ", extent(items[item], 0));
    result.add_case(values(items[item]));
  }
  return labeled(std::move(result), labels);
}

/// Views into the data set, which lives as long as they do: nothing is copied.
Array<double> block_of(const py::object& self) {
  const Series<const double> block = self.cast<const Dataset&>().block();
  return Array<double>({block.cases, block.channels, block.time}, block.data, self);
}

py::list series_of(const py::object& self) {
  const Dataset& set = self.cast<const Dataset&>();
  py::list result;
  for (std::size_t item = 0; item < set.cases(); ++item) {
    const SeriesView<const double> series = set.series(item);
    result.append(Array<double>({series.channels, series.length}, series.data, self));
  }
  return result;
}

std::vector<std::string> labels_of(const Dataset& set) {
  std::vector<std::string> result;
  result.reserve(set.labels().size());
  for (const std::size_t number : set.labels()) result.push_back(set.class_names()[number]);
  return result;
}

}  // namespace

void define_dataset(py::module_& module) {
  py::class_<Dataset> set(module, "Dataset", py::is_final());
  set.def(py::init(&from_block), exact("series"), py::arg("labels"));
  set.def(py::init(&from_list), exact("series"), py::arg("labels"));
  set.def_property_readonly("cases", &Dataset::cases);
  set.def_property_readonly("channels", &Dataset::channels);
  set.def_property_readonly("equally_long", &Dataset::equally_long);
  set.def_property_readonly("labeled", &Dataset::labeled);
  set.def_property_readonly("class_names", &Dataset::class_names);
  set.def("array", &block_of, "(cases, channels, time), a view");
  set.def("series", &series_of, "Views (channels, time), one per case");
  set.def("labels", &labels_of, "The label of every case, empty where there are none");
}

}  // namespace diffeo::python
