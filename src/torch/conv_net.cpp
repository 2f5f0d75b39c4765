// The paper's localization network.
#include "localization_parts.hpp"

namespace diffeo {
namespace {

class ConvNet final : public LocalizationNet {
 public:
  ConvNet(const LocalizationOptions& options, const LocalizationShape& shape) : shape_(shape) {
    check_kernels(options);
    std::int64_t steps = shape.length;
    std::int64_t channels = shape.channels;
    for (std::size_t block = 0; block < options.widths.size(); ++block) {
      const std::int64_t kernel = options.kernels[block];
      const std::int64_t width = options.widths[block];
      blocks_->push_back(torch::nn::Conv1d(torch::nn::Conv1dOptions(channels, width, kernel).padding(kernel / 2)));
      blocks_->push_back(torch::nn::BatchNorm1d(width));
      if (steps / 2 >= kFewestSteps) {
        blocks_->push_back(torch::nn::MaxPool1d(2));
        steps /= 2;
      }
      blocks_->push_back(torch::nn::ReLU());
      channels = width;
    }
    if (steps > options.positions) {
      blocks_->push_back(torch::nn::AdaptiveAvgPool1d(options.positions));
      steps = options.positions;
    }
    register_module("blocks", blocks_);
    head_ = register_module(
        "head", std::make_shared<LocalizationHead>(channels * steps, options.hidden, shape.outputs, options.dropout));
  }

  at::Tensor forward(const at::Tensor& series) override {
    check_series(series, shape_);
    return head_->forward(blocks_->forward(series).flatten(1));
  }

 private:
  LocalizationShape shape_;
  torch::nn::Sequential blocks_;
  std::shared_ptr<LocalizationHead> head_;
};

}  // namespace

std::shared_ptr<LocalizationNet> make_conv_net(const LocalizationOptions& options, const LocalizationShape& shape) {
  return std::make_shared<ConvNet>(options, shape);
}

}  // namespace diffeo
