// What the localization networks have in common, and how each is made.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>

#include "diffeo/torch/localization_net.hpp"

namespace diffeo {

/// From features to theta: dropout, linear, ReLU, linear, tanh. The last linear layer starts near zero.
class LocalizationHead : public torch::nn::Module {
 public:
  LocalizationHead(std::int64_t features, std::int64_t hidden, std::int64_t outputs, double dropout);
  [[nodiscard]] at::Tensor forward(const at::Tensor& features);

 private:
  torch::nn::Dropout dropout_;
  torch::nn::Linear hidden_;
  torch::nn::Linear outputs_;
};

/// What a network was made for.
struct LocalizationShape {
  std::int64_t channels;
  std::int64_t length;
  std::int64_t outputs;
};

void check_series(const at::Tensor& series, const LocalizationShape& shape);

[[nodiscard]] std::shared_ptr<LocalizationNet> make_conv_net(const LocalizationOptions&, const LocalizationShape&);
[[nodiscard]] std::shared_ptr<LocalizationNet> make_recurrent_net(const LocalizationOptions&, const LocalizationShape&);
[[nodiscard]] std::shared_ptr<LocalizationNet> make_inception_net(const LocalizationOptions&, const LocalizationShape&);

}  // namespace diffeo
