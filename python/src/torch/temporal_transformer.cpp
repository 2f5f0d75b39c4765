// Bindings of diffeo/torch/temporal_transformer.hpp.
//
// diffeo.torch.TemporalTransformer is a module of Python and computes the same; this one is for comparing the two. Its
// tensors are given out as they are: what Python writes into them is what the next call computes with.
#include "diffeo/torch/temporal_transformer.hpp"

#include <torch/extension.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "diffeo/error.hpp"

namespace diffeo::python {
namespace {

namespace py = pybind11;

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

Composition composition_from_name(const std::string& name) {
  if (name == "compose") return Composition::compose;
  if (name == "resample") return Composition::resample;
  throw std::invalid_argument(message("composition: expected compose or resample, got \"", name, "\""));
}

std::shared_ptr<TemporalTransformer> make_transformer(
    std::int64_t channels, std::int64_t length, std::int64_t cells, std::int64_t layers, bool zero_boundary,
    const std::string& basis, bool shared_layers, const std::string& composition, double velocity_scale, double horizon,
    const std::string& method, std::int64_t method_steps, const std::string& network, std::vector<std::int64_t> widths,
    std::vector<std::int64_t> kernels, std::int64_t hidden, std::int64_t positions, double dropout) {
  TransformerOptions options;
  options.cells = cells;
  options.layers = layers;
  options.zero_boundary = zero_boundary;
  options.basis = basis_from_name(basis);
  options.shared_layers = shared_layers;
  options.composition = composition_from_name(composition);
  options.velocity_scale = velocity_scale;
  options.horizon = horizon;
  options.method = flow_method_from_name(method);
  options.method_steps = method_steps;
  options.localization.kind = localization_from_name(network);
  options.localization.widths = std::move(widths);
  options.localization.kernels = std::move(kernels);
  options.localization.hidden = hidden;
  options.localization.positions = positions;
  options.localization.dropout = dropout;
  return std::make_shared<TemporalTransformer>(channels, length, options);
}

template <class Items>
NamedTensors pairs(const Items& items) {
  NamedTensors result;
  for (const auto& item : items) result.emplace_back(item.key(), item.value());
  return result;
}

auto forward(TemporalTransformer& transformer, const at::Tensor& series, double time) {
  Transformed result = transformer.forward(series, time);
  return std::make_tuple(std::move(result.aligned), std::move(result.thetas), std::move(result.velocities));
}

}  // namespace

void define_temporal_transformer(py::module_& module) {
  const py::call_guard<py::gil_scoped_release> without_gil;
  py::class_<TemporalTransformer, std::shared_ptr<TemporalTransformer>>(module, "TemporalTransformer")
      .def(py::init(&make_transformer), py::kw_only(), py::arg("channels"), py::arg("length"), py::arg("cells"),
           py::arg("layers"), py::arg("zero_boundary"), py::arg("basis"), py::arg("shared_layers"),
           py::arg("composition"), py::arg("velocity_scale"), py::arg("horizon"), py::arg("method"),
           py::arg("method_steps"), py::arg("network"), py::arg("widths"), py::arg("kernels"), py::arg("hidden"),
           py::arg("positions"), py::arg("dropout"))
      .def("named_parameters", [](const TemporalTransformer& own) { return pairs(own.named_parameters()); })
      .def("named_buffers", [](const TemporalTransformer& own) { return pairs(own.named_buffers()); })
      .def("train", &TemporalTransformer::train, py::arg("on"))
      .def("forward", &forward, py::arg("series"), py::arg("time"), without_gil, "aligned, thetas, velocities")
      .def("inverse", &TemporalTransformer::inverse, py::arg("aligned"), py::arg("velocities"), py::arg("length"),
           py::arg("time"), py::arg("lengths"), without_gil);
}

}  // namespace diffeo::python
