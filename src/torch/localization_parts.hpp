// What the localization networks have in common, and how each is made.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "diffeo/torch/localization_net.hpp"
#include "interruptible_layers.hpp"

namespace diffeo {

/// From features (cases, width, positions) to theta: dropout, linear, ReLU, linear, tanh. The last linear layer starts
/// near zero, and has outputs for every class; which ones count, the labels say or a linear layer on the averages of
/// the features over time recognizes. Torch's own dropout knows no generator but the global one, so this one is written
/// out.
class LocalizationHead : public torch::nn::Module {
 public:
  LocalizationHead(std::int64_t width, std::int64_t positions, std::int64_t outputs,
                   const LocalizationOptions& options);
  [[nodiscard]] Localized forward(const at::Tensor& features, const std::optional<at::Tensor>& labels);
  void set_generator(const std::optional<at::Generator>& generator) { generator_ = generator; }
  void set_rows(const BatchRows& rows) { rows_ = rows; }
  /// The last linear layer, near zero; from torch's own generator where none is given.
  void initialize_outputs(const std::optional<at::Generator>& generator);

 private:
  [[nodiscard]] at::Tensor dropped(const at::Tensor& features) const;

  double dropout_;
  std::int64_t classes_;
  std::optional<at::Generator> generator_;
  BatchRows rows_;
  torch::nn::Linear hidden_;
  torch::nn::Linear outputs_;
  torch::nn::Linear recognition_ = nullptr;  // with classes to tell apart
};

/// Pooling stops before fewer steps than this would be left.
inline constexpr std::int64_t kFewestSteps = 8;

/// Of an odd kernel, keeping the length; without a bias, which batch normalization has.
[[nodiscard]] Convolution convolution(std::int64_t from, std::int64_t to, std::int64_t kernel);

/// What a network was made for.
struct LocalizationShape {
  std::int64_t channels;
  std::int64_t length;
  std::int64_t outputs;
};

void check_series(const at::Tensor& series, const LocalizationShape& shape);
/// One kernel per block, of an odd length.
void check_kernels(const LocalizationOptions& options);

[[nodiscard]] std::shared_ptr<LocalizationNet> make_conv_net(const LocalizationOptions&, const LocalizationShape&);
[[nodiscard]] std::shared_ptr<LocalizationNet> make_recurrent_net(const LocalizationOptions&, const LocalizationShape&);
[[nodiscard]] std::shared_ptr<LocalizationNet> make_inception_net(const LocalizationOptions&, const LocalizationShape&);
[[nodiscard]] std::shared_ptr<LocalizationNet> make_residual_net(const LocalizationOptions&, const LocalizationShape&);

}  // namespace diffeo
