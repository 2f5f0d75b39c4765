// Bindings of diffeo/torch/temporal_transformer.hpp.
//
// A plain class, not a torch.nn.Module: python/diffeo/torch/_transformer.py makes one of it, by registering the very
// tensors that are given out here. So both sides have the same parameters, and `check_tensors` finds out where Python
// put another tensor in the place of one of them.
#include "diffeo/torch/temporal_transformer.hpp"

#include <torch/extension.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
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

using Fields = std::vector<at::Tensor>;
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

std::vector<std::string> module_names(const TemporalTransformer& transformer) {
  std::vector<std::string> names;
  for (const auto& item : transformer.named_modules()) names.push_back(item.key());
  return names;
}

/// Parents come first: train() reaches all below a module, and these then have their own say. Where nothing changes
/// nothing is written, so that other threads may be computing.
void set_training(const TemporalTransformer& transformer, const std::vector<bool>& flags) {
  const auto modules = transformer.modules();
  TORCH_CHECK_VALUE(modules.size() == flags.size(), "flags: expected ", modules.size(), ", got ", flags.size());
  const auto is_set = [](const auto& module, bool flag) { return module->is_training() == flag; };
  if (std::ranges::equal(modules, flags, is_set)) return;
  for (std::size_t index = 0; index < flags.size(); ++index) modules[index]->train(flags[index]);
}

void check_tensors(const TemporalTransformer& transformer, const std::map<std::string, at::Tensor>& tensors) {
  NamedTensors own = pairs(transformer.named_parameters());
  for (auto& buffer : pairs(transformer.named_buffers())) own.push_back(std::move(buffer));
  for (const auto& [name, tensor] : own) {
    const auto found = tensors.find(name);
    TORCH_CHECK(found != tensors.end() && found->second.is_same(tensor), name,
                ": expected the tensor that the module was made with, got another; give it new values in place (copy_, "
                "load_state_dict without assign) instead of replacing it");
  }
}

void check_precision(const TemporalTransformer& transformer, const char* name, const at::Tensor& tensor) {
  const at::ScalarType own = transformer.vertex_basis().scalar_type();
  TORCH_CHECK_TYPE(tensor.scalar_type() == own, name, ": expected ", own, " as the module has, got ",
                   tensor.scalar_type());
}

void check_precision(const TemporalTransformer& transformer, const Fields& velocities) {
  for (const at::Tensor& field : velocities) check_precision(transformer, "velocities", field);
}

/// Under autocast, too, everything here is computed in the precision of the module: the flow knows no lower one.
class WithoutAutocast {
  c10::impl::ExcludeDispatchKeyGuard guard_{c10::autocast_dispatch_keyset};
};

auto forward(TemporalTransformer& transformer, const at::Tensor& series, double time) {
  check_precision(transformer, "series", series);
  const WithoutAutocast guard;
  Transformed result = transformer.forward(series, time);
  return std::make_tuple(std::move(result.aligned), std::move(result.thetas), std::move(result.velocities));
}

at::Tensor apply(const TemporalTransformer& transformer, const at::Tensor& series, const Fields& velocities,
                 double time) {
  check_precision(transformer, "series", series);
  check_precision(transformer, velocities);
  const WithoutAutocast guard;
  return transformer.apply(series, velocities, time);
}

at::Tensor inverse(const TemporalTransformer& transformer, const at::Tensor& aligned, const Fields& velocities,
                   std::int64_t length, double time, const std::optional<at::Tensor>& lengths) {
  check_precision(transformer, "aligned", aligned);
  check_precision(transformer, velocities);
  const WithoutAutocast guard;
  return transformer.inverse(aligned, velocities, length, time, lengths);
}

/// At the points, or on the grid of aligned series where there are none.
template <at::Tensor (TemporalTransformer::*places)(const Fields&, const at::Tensor&, double) const>
at::Tensor at_points(const TemporalTransformer& transformer, const Fields& velocities,
                     const std::optional<at::Tensor>& points, double time) {
  check_precision(transformer, velocities);
  if (points) check_precision(transformer, "points", *points);
  const WithoutAutocast guard;
  return (transformer.*places)(velocities, points ? *points : transformer.grid(transformer.length()), time);
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
      .def("module_names", &module_names, "Of itself and its parts, parents first")
      .def("named_parameters", [](const TemporalTransformer& own) { return pairs(own.named_parameters()); })
      .def("named_buffers", [](const TemporalTransformer& own) { return pairs(own.named_buffers()); })
      .def("set_training", &set_training, py::arg("flags"), "One flag per name of module_names")
      .def("check_tensors", &check_tensors, py::arg("tensors"), "RuntimeError unless these are its own")
      .def("forward", &forward, py::arg("series"), py::arg("time"), without_gil, "aligned, thetas, velocities")
      .def("apply", &apply, py::arg("series"), py::arg("velocities"), py::arg("time"), without_gil)
      .def("inverse", &inverse, py::arg("aligned"), py::arg("velocities"), py::arg("length"), py::arg("time"),
           py::arg("lengths"), without_gil)
      .def("positions", &at_points<&TemporalTransformer::positions>, py::arg("velocities"), py::arg("points"),
           py::arg("time"), without_gil)
      .def("inverse_positions", &at_points<&TemporalTransformer::inverse_positions>, py::arg("velocities"),
           py::arg("points"), py::arg("time"), without_gil);
}

}  // namespace diffeo::python
