// A localization network that reads a series step by step.
#include <algorithm>
#include <string>
#include <vector>

#include "localization_parts.hpp"

namespace diffeo {
namespace {

/// GRUs in both directions, one after the other, each of its own width.
class RecurrentNet final : public LocalizationNet {
 public:
  RecurrentNet(const LocalizationOptions& options, const LocalizationShape& shape) : shape_(shape) {
    std::int64_t channels = shape.channels;
    for (const std::int64_t width : options.widths) {
      layers_.push_back(register_module("gru" + std::to_string(layers_.size()), RecurrentLayer(channels, width)));
      channels = 2 * width;
    }
    head_ = register_module("head", std::make_shared<LocalizationHead>(channels, 1, shape.outputs, options));
  }

  Localized localize(const at::Tensor& series, const std::optional<at::Tensor>& labels) override {
    check_series(series, shape_);
    const std::int64_t steps = std::min(shape_.length, kMostRecurrentSteps);
    const at::Tensor read = steps < shape_.length ? at::adaptive_avg_pool1d(series, steps) : series;
    at::Tensor states = read.transpose(1, 2);
    for (RecurrentLayer& layer : layers_) states = layer->forward(states);
    return head_->forward(states.mean(1).unsqueeze(2), labels);
  }

 private:
  LocalizationShape shape_;
  std::vector<RecurrentLayer> layers_;
  std::shared_ptr<LocalizationHead> head_;
};

}  // namespace

std::shared_ptr<LocalizationNet> make_recurrent_net(const LocalizationOptions& options,
                                                    const LocalizationShape& shape) {
  return std::make_shared<RecurrentNet>(options, shape);
}

}  // namespace diffeo
