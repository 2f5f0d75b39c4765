// Bindings of diffeo/training_options.hpp.
//
// Values arrive as people type them and are read by the table itself, so that Python and the command line refuse the
// same things in the same words; they are given out as Python's own types.
#include "diffeo/training_options.hpp"

#include <string>

#include "arrays.hpp"
#include "bindings.hpp"

namespace diffeo::python {
namespace {

py::object value_of(const std::vector<std::int64_t>& values) { return py::tuple(py::cast(values)); }

template <class Value>
py::object value_of(const Value& value) {
  return py::cast(value);
}

py::dict values_of(const TrainingOptions& options) {
  py::dict result;
  for (const Hyperparameter& each : hyperparameters()) {
    result[py::str(each.name)] = std::visit([&](auto field) { return value_of(options.*field); }, each.field);
  }
  return result;
}

std::vector<Hyperparameter> table() { return {hyperparameters().begin(), hyperparameters().end()}; }

}  // namespace

void define_training_options(py::module_& module) {
  py::class_<Hyperparameter> row(module, "Hyperparameter", py::is_final());
  row.def_readonly("name", &Hyperparameter::name);
  row.def_readonly("group", &Hyperparameter::group);
  row.def_property_readonly("type", &type_name, "integer, number, truth, text or integers");
  row.def_readonly("lowest", &Hyperparameter::lowest);
  row.def_readonly("highest", &Hyperparameter::highest);
  row.def_readonly("choices", &Hyperparameter::choices);
  row.def_readonly("help", &Hyperparameter::help);

  py::class_<TrainingOptions> options(module, "TrainingOptions", py::is_final());
  options.def(py::init(&preset), py::arg("preset"));
  options.def("set", &set_hyperparameter, py::arg("name"), py::arg("text"), "A value as people type it");
  options.def("check", &check_training_options, "ValueError for values that contradict each other");
  options.def("values", &values_of, "By name: int, float, bool, str or a tuple of int");

  module.def("hyperparameters", &table);
  module.def("preset_names", &preset_names);
}

}  // namespace diffeo::python
