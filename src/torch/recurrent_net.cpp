// A localization network that reads a series step by step.
#include <algorithm>

#include "localization_parts.hpp"

namespace diffeo {
namespace {

class RecurrentNet final : public LocalizationNet {
 public:
  RecurrentNet(const LocalizationOptions& options, const LocalizationShape& shape)
      : shape_(shape),
        gru_(torch::nn::GRUOptions(shape.channels, options.widths.front())
                 .num_layers(static_cast<std::int64_t>(options.widths.size()))
                 .batch_first(true)
                 .bidirectional(true)) {
    for (const std::int64_t width : options.widths) {
      TORCH_CHECK_VALUE(width == options.widths.front(), "widths: expected equal numbers for a recurrent network, got ",
                        options.widths.front(), " and ", width);
    }
    register_module("gru", gru_);
    head_ = register_module("head",
                            std::make_shared<LocalizationHead>(2 * options.widths.front(), 1, shape.outputs, options));
  }

  Localized localize(const at::Tensor& series, const std::optional<at::Tensor>& labels) override {
    check_series(series, shape_);
    const std::int64_t steps = std::min(shape_.length, kMostRecurrentSteps);
    const at::Tensor read = steps < shape_.length ? at::adaptive_avg_pool1d(series, steps) : series;
    const at::Tensor states = std::get<0>(gru_->forward(read.transpose(1, 2)));
    return head_->forward(states.mean(1).unsqueeze(2), labels);
  }

 private:
  LocalizationShape shape_;
  torch::nn::GRU gru_;
  std::shared_ptr<LocalizationHead> head_;
};

}  // namespace

std::shared_ptr<LocalizationNet> make_recurrent_net(const LocalizationOptions& options,
                                                    const LocalizationShape& shape) {
  return std::make_shared<RecurrentNet>(options, shape);
}

}  // namespace diffeo
