// A localization network of residual blocks: what a block learns is added to what it was given.
#include <algorithm>

#include "localization_parts.hpp"
#include "normalized_pooling.hpp"
#include "shared_batch_norm.hpp"

namespace diffeo {
namespace {

/// Two normalized convolutions beside a shortcut: the identity, or where widths differ a convolution of length 1. What
/// comes out is not rectified yet.
class ResidualBlock final : public torch::nn::Module {
 public:
  ResidualBlock(std::int64_t channels, std::int64_t width, std::int64_t kernel)
      : first_(convolution(channels, width, kernel)),
        first_norm_(width),
        second_(convolution(width, width, kernel)),
        second_norm_(width) {
    register_module("first", first_);
    register_module("first_norm", first_norm_);
    register_module("second", second_);
    register_module("second_norm", second_norm_);
    if (channels == width) return;
    shortcut_->push_back(convolution(channels, width, 1));
    shortcut_->push_back(SharedBatchNorm(width));
    register_module("shortcut", shortcut_);
  }

  [[nodiscard]] at::Tensor forward(const at::Tensor& input) {
    const at::Tensor rectified = normalized_pooling(first_(input), *first_norm_, false, first_norm_->group());
    return second_norm_(second_(rectified)) + (shortcut_->is_empty() ? input : shortcut_->forward(input));
  }

 private:
  Convolution first_;
  SharedBatchNorm first_norm_;
  Convolution second_;
  SharedBatchNorm second_norm_;
  torch::nn::Sequential shortcut_;
};

class ResidualNet final : public LocalizationNet {
 public:
  ResidualNet(const LocalizationOptions& options, const LocalizationShape& shape) : shape_(shape) {
    check_kernels(options);
    std::int64_t channels = shape.channels;
    std::int64_t steps = shape.length;
    for (std::size_t block = 0; block < options.widths.size(); ++block) {
      const std::int64_t width = options.widths[block];
      blocks_.push_back(register_module("block" + std::to_string(block),
                                        std::make_shared<ResidualBlock>(channels, width, options.kernels[block])));
      channels = width;
      if (steps / 2 >= kFewestSteps) steps /= 2;
    }
    positions_ = std::min(steps, options.positions);
    head_ = register_module("head", std::make_shared<LocalizationHead>(channels, positions_, shape.outputs, options));
  }

  Localized localize(const at::Tensor& series, const std::optional<at::Tensor>& labels) override {
    check_series(series, shape_);
    at::Tensor features = series;
    for (const auto& block : blocks_) {
      features = block->forward(features);
      features = features.size(2) / 2 >= kFewestSteps ? rectified_pooling(features) : features.relu();
    }
    return head_->forward(at::adaptive_avg_pool1d(features, positions_), labels);
  }

 private:
  LocalizationShape shape_;
  std::vector<std::shared_ptr<ResidualBlock>> blocks_;
  std::int64_t positions_ = 1;
  std::shared_ptr<LocalizationHead> head_;
};

}  // namespace

std::shared_ptr<LocalizationNet> make_residual_net(const LocalizationOptions& options, const LocalizationShape& shape) {
  return std::make_shared<ResidualNet>(options, shape);
}

}  // namespace diffeo
