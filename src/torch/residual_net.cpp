// A localization network of residual blocks: what a block learns is added to what it was given.
#include <algorithm>

#include "localization_parts.hpp"

namespace diffeo {
namespace {

/// Two normalised convolutions beside a shortcut: the identity, or where widths differ a convolution of length 1.
class ResidualBlock final : public torch::nn::Module {
 public:
  ResidualBlock(std::int64_t channels, std::int64_t width, std::int64_t kernel)
      : branch_(convolution(channels, width, kernel), torch::nn::BatchNorm1d(width), torch::nn::ReLU(),
                convolution(width, width, kernel), torch::nn::BatchNorm1d(width)) {
    register_module("branch", branch_);
    if (channels == width) return;
    shortcut_->push_back(convolution(channels, width, 1));
    shortcut_->push_back(torch::nn::BatchNorm1d(width));
    register_module("shortcut", shortcut_);
  }

  [[nodiscard]] at::Tensor forward(const at::Tensor& input) {
    return (branch_->forward(input) + (shortcut_->is_empty() ? input : shortcut_->forward(input))).relu();
  }

 private:
  torch::nn::Sequential branch_;
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
    head_ = register_module("head", std::make_shared<LocalizationHead>(channels * positions_, options.hidden,
                                                                       shape.outputs, options.dropout));
  }

  at::Tensor forward(const at::Tensor& series) override {
    check_series(series, shape_);
    at::Tensor features = series;
    for (const auto& block : blocks_) {
      features = block->forward(features);
      if (features.size(2) / 2 >= kFewestSteps) features = at::max_pool1d(features, 2);
    }
    return head_->forward(at::adaptive_avg_pool1d(features, positions_).flatten(1));
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
