// A localization network that looks at several time scales at once.
#include <array>

#include "localization_parts.hpp"
#include "shared_batch_norm.hpp"

namespace diffeo {
namespace {

constexpr std::array<std::int64_t, 3> kKernels{9, 19, 39};

/// Convolutions of three lengths and a pooled shortcut, side by side: four times `width` channels.
class InceptionBlock final : public torch::nn::Module {
 public:
  InceptionBlock(std::int64_t channels, std::int64_t width)
      : bottleneck_(convolution(channels, width, 1)), pooled_(convolution(channels, width, 1)), norm_(4 * width) {
    register_module("bottleneck", bottleneck_);
    register_module("pooled", pooled_);
    register_module("norm", norm_);
    for (const std::int64_t kernel : kKernels) branches_->push_back(convolution(width, width, kernel));
    register_module("branches", branches_);
  }

  [[nodiscard]] at::Tensor forward(const at::Tensor& input) {
    const at::Tensor narrow = bottleneck_(input);
    std::vector<at::Tensor> parts;
    for (const auto& branch : *branches_) parts.push_back(branch->as<Convolution>()->forward(narrow));
    parts.push_back(pooled_(at::max_pool1d(input, 3, 1, 1)));
    return norm_(at::cat(parts, 1)).relu();
  }

 private:
  Convolution bottleneck_;
  Convolution pooled_;
  SharedBatchNorm norm_;
  torch::nn::ModuleList branches_;
};

class InceptionNet final : public LocalizationNet {
 public:
  InceptionNet(const LocalizationOptions& options, const LocalizationShape& shape)
      : shape_(shape), shortcut_(convolution(shape.channels, 4 * options.widths.back(), 1)) {
    std::int64_t channels = shape.channels;
    for (std::size_t block = 0; block < options.widths.size(); ++block) {
      blocks_.push_back(register_module("block" + std::to_string(block),
                                        std::make_shared<InceptionBlock>(channels, options.widths[block])));
      channels = 4 * options.widths[block];
    }
    register_module("shortcut", shortcut_);
    head_ = register_module("head", std::make_shared<LocalizationHead>(channels, 1, shape.outputs, options));
  }

  Localized localize(const at::Tensor& series, const std::optional<at::Tensor>& labels) override {
    check_series(series, shape_);
    at::Tensor features = series;
    for (const auto& block : blocks_) features = block->forward(features);
    return head_->forward((features + shortcut_(series)).relu().mean(2, true), labels);
  }

 private:
  LocalizationShape shape_;
  std::vector<std::shared_ptr<InceptionBlock>> blocks_;
  Convolution shortcut_;
  std::shared_ptr<LocalizationHead> head_;
};

}  // namespace

std::shared_ptr<LocalizationNet> make_inception_net(const LocalizationOptions& options,
                                                    const LocalizationShape& shape) {
  return std::make_shared<InceptionNet>(options, shape);
}

}  // namespace diffeo
