#include "diffeo/torch/localization_net.hpp"

#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "diffeo/error.hpp"
#include "localization_parts.hpp"
#include "shared_batch_norm.hpp"

namespace diffeo {
namespace {

constexpr std::array<std::pair<LocalizationKind, std::string_view>, 4> kNames{{
    {LocalizationKind::conv, "conv"},
    {LocalizationKind::recurrent, "recurrent"},
    {LocalizationKind::inception, "inception"},
    {LocalizationKind::residual, "residual"},
}};
/// Of the last linear layer: warps far below a sample, but not the saddle point that zero would be.
constexpr double kFirstOutputs = 1e-3;

void check_options(const LocalizationOptions& options, const LocalizationShape& shape) {
  TORCH_CHECK_VALUE(shape.channels >= 1, "channels: expected at least 1, got ", shape.channels);
  TORCH_CHECK_VALUE(shape.length >= kShortestSeries, "length: expected at least ", kShortestSeries, ", got ",
                    shape.length);
  TORCH_CHECK_VALUE(shape.outputs >= 1, "outputs: expected at least 1, got ", shape.outputs);
  TORCH_CHECK_VALUE(!options.widths.empty(), "widths: expected at least one block, got none");
  for (const std::int64_t width : options.widths) {
    TORCH_CHECK_VALUE(width >= 1, "widths: expected positive numbers, got ", width);
  }
  TORCH_CHECK_VALUE(options.hidden >= 1, "hidden: expected at least 1, got ", options.hidden);
  TORCH_CHECK_VALUE(options.positions >= 1, "positions: expected at least 1, got ", options.positions);
  TORCH_CHECK_VALUE(options.classes >= 1, "classes: expected at least 1, got ", options.classes);
  TORCH_CHECK_VALUE(options.dropout >= 0.0 && options.dropout < 1.0, "dropout: expected 0 up to below 1, got ",
                    options.dropout);
}

/// Torch's own layers start uniformly between plus and minus this: one over the root of the inputs of each output, or
/// of the hidden states of a recurrent layer.
double largest_start(const torch::nn::Module& module) {
  if (const auto* const gru = module.as<torch::nn::GRU>()) {
    return 1.0 / std::sqrt(static_cast<double>(gru->options.hidden_size()));
  }
  const auto parameters = module.named_parameters(false);
  const at::Tensor* const weight = parameters.find("weight");
  return weight == nullptr ? 0.0 : 1.0 / std::sqrt(static_cast<double>(weight->numel() / weight->size(0)));
}

void draw(at::Tensor& parameter, Initialization scheme, double largest, const at::Generator& generator) {
  if (scheme == Initialization::torch) {
    parameter.uniform_(-largest, largest, generator);
  } else if (parameter.dim() < 2) {
    parameter.zero_();
  } else {
    const auto [inputs, outputs] = torch::nn::init::_calculate_fan_in_and_fan_out(parameter);
    parameter.normal_(0.0, std::sqrt(2.0 / static_cast<double>(inputs + outputs)), generator);
  }
}

}  // namespace

std::string_view localization_name(LocalizationKind kind) noexcept {
  return kNames[static_cast<std::size_t>(kind)].second;
}

LocalizationKind localization_from_name(std::string_view name) {
  for (const auto& [kind, known] : kNames) {
    if (name == known) return kind;
  }
  throw std::invalid_argument(message("network: expected conv, recurrent, inception or residual, got ", name));
}

LocalizationHead::LocalizationHead(std::int64_t width, std::int64_t positions, std::int64_t outputs,
                                   const LocalizationOptions& options)
    : dropout_(options.dropout),
      classes_(options.classes),
      hidden_(width * positions, options.hidden),
      outputs_(options.hidden, outputs * options.classes) {
  register_module("hidden", hidden_);
  register_module("outputs", outputs_);
  if (classes_ > 1) recognition_ = register_module("recognition", torch::nn::Linear(width, classes_));
  initialize_outputs(std::nullopt);
}

void LocalizationHead::initialize_outputs(const std::optional<at::Generator>& generator) {
  const torch::NoGradGuard no_gradients;
  outputs_->weight.normal_(0.0, kFirstOutputs, generator);
  outputs_->bias.zero_();
}

Localized LocalizationHead::forward(const at::Tensor& features, const std::optional<at::Tensor>& labels) {
  const at::Tensor outputs = outputs_(hidden_(dropped(features.flatten(1))).relu());
  if (classes_ == 1) return {outputs.tanh(), {}};
  const at::Tensor evidence = recognition_(dropped(features.mean(2)));
  const at::Tensor classes = labels ? *labels : evidence.argmax(1);
  const at::Tensor by_class = outputs.view({outputs.size(0), classes_, outputs.size(1) / classes_});  // 0 cases, too
  const at::Tensor chosen = classes.view({-1, 1, 1}).expand({-1, 1, by_class.size(2)});
  return {by_class.gather(1, chosen).squeeze(1).tanh(), evidence};
}

at::Tensor LocalizationHead::dropped(const at::Tensor& features) const {
  if (!is_training() || dropout_ == 0.0) return features;
  const double kept = 1.0 - dropout_;
  return features *
         rows_.drawn(features, [&](at::Tensor mask) { return mask.bernoulli_(kept, generator_).div_(kept); });
}

void LocalizationNet::set_generator(const std::optional<at::Generator>& generator) {
  for (const auto& module : modules()) {
    if (auto* const head = module->as<LocalizationHead>()) head->set_generator(generator);
  }
}

void LocalizationNet::set_group(const Group& group) {
  for (const auto& module : modules()) {
    if (auto* const norm = module->as<SharedBatchNorm>()) norm->set_group(group);
  }
}

void LocalizationNet::set_rows(const BatchRows& rows) {
  for (const auto& module : modules()) {
    if (auto* const head = module->as<LocalizationHead>()) head->set_rows(rows);
  }
}

Initialization initialization_from_name(std::string_view name) {
  if (name == "torch") return Initialization::torch;
  if (name == "xavier-normal") return Initialization::xavier_normal;
  throw std::invalid_argument(message("initialization: expected torch or xavier-normal, got ", name));
}

void initialize(LocalizationNet& net, Initialization scheme, const at::Generator& generator) {
  const torch::NoGradGuard no_gradients;
  for (const auto& module : net.modules()) {
    if (auto* const norm = module->as<torch::nn::BatchNorm1d>()) {
      norm->reset_parameters();
    } else {
      for (at::Tensor& parameter : module->parameters(false)) {
        draw(parameter, scheme, largest_start(*module), generator);
      }
    }
  }
  // Last, because the layers inside a head have been drawn as any other.
  for (const auto& module : net.modules()) {
    if (auto* const head = module->as<LocalizationHead>()) head->initialize_outputs(generator);
  }
}

void check_series(const at::Tensor& series, const LocalizationShape& shape) {
  TORCH_CHECK_VALUE(series.dim() == 3 && series.size(1) == shape.channels && series.size(2) == shape.length,
                    "series: expected shape (cases, ", shape.channels, ", ", shape.length, "), got ", series.sizes());
}

void check_kernels(const LocalizationOptions& options) {
  TORCH_CHECK_VALUE(options.kernels.size() == options.widths.size(), "kernels: expected one per block, ",
                    options.widths.size(), ", got ", options.kernels.size());
  for (const std::int64_t kernel : options.kernels) {
    TORCH_CHECK_VALUE(kernel >= 1 && kernel % 2 == 1, "kernels: expected odd lengths, got ", kernel);
  }
}

Convolution convolution(std::int64_t from, std::int64_t to, std::int64_t kernel) {
  return Convolution(torch::nn::Conv1dOptions(from, to, kernel).padding(kernel / 2).bias(false));
}

std::shared_ptr<LocalizationNet> make_localization_net(const LocalizationOptions& options, std::int64_t channels,
                                                       std::int64_t length, std::int64_t outputs) {
  const LocalizationShape shape{channels, length, outputs};
  check_options(options, shape);
  switch (options.kind) {
    case LocalizationKind::recurrent:
      return make_recurrent_net(options, shape);
    case LocalizationKind::inception:
      return make_inception_net(options, shape);
    case LocalizationKind::residual:
      return make_residual_net(options, shape);
    case LocalizationKind::conv:
      break;
  }
  return make_conv_net(options, shape);
}

}  // namespace diffeo
