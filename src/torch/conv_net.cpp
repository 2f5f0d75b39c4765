// The paper's localization network.
#include <algorithm>

#include "localization_parts.hpp"
#include "normalized_pooling.hpp"
#include "shared_batch_norm.hpp"

namespace diffeo {
namespace {

/// Convolution, batch normalization, max pooling by two where steps are left, ReLU.
class ConvBlock final : public torch::nn::Module {
 public:
  ConvBlock(std::int64_t channels, std::int64_t width, std::int64_t kernel, bool pools)
      : pools_(pools), convolution_(convolution(channels, width, kernel)), norm_(width) {
    register_module("convolution", convolution_);
    register_module("norm", norm_);
  }

  [[nodiscard]] at::Tensor forward(const at::Tensor& input) {
    return normalized_pooling(convolution_(input), *norm_, pools_, norm_->group());
  }

 private:
  bool pools_;
  Convolution convolution_;
  SharedBatchNorm norm_;
};

class ConvNet final : public LocalizationNet {
 public:
  ConvNet(const LocalizationOptions& options, const LocalizationShape& shape) : shape_(shape) {
    check_kernels(options);
    std::int64_t steps = shape.length;
    std::int64_t channels = shape.channels;
    for (std::size_t block = 0; block < options.widths.size(); ++block) {
      const std::int64_t width = options.widths[block];
      const bool pools = steps / 2 >= kFewestSteps;
      blocks_.push_back(register_module("block" + std::to_string(block),
                                        std::make_shared<ConvBlock>(channels, width, options.kernels[block], pools)));
      channels = width;
      if (pools) steps /= 2;
    }
    positions_ = std::min(steps, options.positions);
    head_ = register_module("head", std::make_shared<LocalizationHead>(channels, positions_, shape.outputs, options));
  }

  Localized localize(const at::Tensor& series, const std::optional<at::Tensor>& labels) override {
    check_series(series, shape_);
    at::Tensor features = series;
    for (const auto& block : blocks_) features = block->forward(features);
    if (features.size(2) > positions_) features = at::adaptive_avg_pool1d(features, positions_);
    return head_->forward(features, labels);
  }

 private:
  LocalizationShape shape_;
  std::vector<std::shared_ptr<ConvBlock>> blocks_;
  std::int64_t positions_ = 1;
  std::shared_ptr<LocalizationHead> head_;
};

}  // namespace

std::shared_ptr<LocalizationNet> make_conv_net(const LocalizationOptions& options, const LocalizationShape& shape) {
  return std::make_shared<ConvNet>(options, shape);
}

}  // namespace diffeo
