#include "diffeo/torch/localization_net.hpp"

#include <array>
#include <stdexcept>
#include <utility>

#include "diffeo/error.hpp"
#include "localization_parts.hpp"

namespace diffeo {
namespace {

constexpr std::array<std::pair<LocalizationKind, std::string_view>, 3> kNames{{
    {LocalizationKind::conv, "conv"},
    {LocalizationKind::recurrent, "recurrent"},
    {LocalizationKind::inception, "inception"},
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
  TORCH_CHECK_VALUE(options.dropout >= 0.0 && options.dropout < 1.0, "dropout: expected 0 up to below 1, got ",
                    options.dropout);
}

}  // namespace

std::string_view localization_name(LocalizationKind kind) noexcept {
  return kNames[static_cast<std::size_t>(kind)].second;
}

LocalizationKind localization_from_name(std::string_view name) {
  for (const auto& [kind, known] : kNames) {
    if (name == known) return kind;
  }
  throw std::invalid_argument(message("network: expected conv, recurrent or inception, got ", name));
}

LocalizationHead::LocalizationHead(std::int64_t features, std::int64_t hidden, std::int64_t outputs, double dropout)
    : dropout_(dropout), hidden_(features, hidden), outputs_(hidden, outputs) {
  register_module("dropout", dropout_);
  register_module("hidden", hidden_);
  register_module("outputs", outputs_);
  torch::nn::init::normal_(outputs_->weight, 0.0, kFirstOutputs);
  torch::nn::init::zeros_(outputs_->bias);
}

at::Tensor LocalizationHead::forward(const at::Tensor& features) {
  return outputs_(hidden_(dropout_(features)).relu()).tanh();
}

void check_series(const at::Tensor& series, const LocalizationShape& shape) {
  TORCH_CHECK_VALUE(series.dim() == 3 && series.size(1) == shape.channels && series.size(2) == shape.length,
                    "series: expected shape (cases, ", shape.channels, ", ", shape.length, "), got ", series.sizes());
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
    case LocalizationKind::conv:
      break;
  }
  return make_conv_net(options, shape);
}

}  // namespace diffeo
