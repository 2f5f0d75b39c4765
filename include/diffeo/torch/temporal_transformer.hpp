// A network that brings series into common time: it looks at each, decides on a warp, and applies it.
//
//   theta_l    = localization_l(series as warped so far)            between -1 and 1
//   velocities = velocity_scale * W theta_l                         W of a WarpSpace, kept as a buffer
//   phi        = phi_1 o phi_2 o ... o phi_L                        phi_l the flow of layer l
//   aligned    = series o phi
//
// One warp per layer, and the next layer sees what the ones before it made. Layers have networks of their own (as in
// the paper) or share one (as DTAN does).
//
//   Composition::compose    warps are composed exactly and the series is read once
//   Composition::resample   every layer reads what the one before it wrote, as in the paper: interpolation adds up
//
//   * series: (cases, channels, time), any time; NaN means missing, and padding where all channels are missing to the
//   end
//     (diffeo/torch/network_input.hpp). The result has `length` steps, and does not depend on padding
//   * missing values stay missing; they pass no gradient
//   * `time` stretches every layer's flow: 1 is the warp that was learned, 0 none, values between shrink it
//   * errors as those of the operators and networks it is made of
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "diffeo/torch/localization_net.hpp"
#include "diffeo/warp_space.hpp"

namespace diffeo {

enum class Composition { compose, resample };

struct TransformerOptions {
  LocalizationOptions localization = {};
  std::int64_t cells = 32;
  bool zero_boundary = true;
  Basis basis = Basis::svd;
  std::int64_t layers = 1;
  bool shared_layers = false;
  Composition composition = Composition::compose;
  double velocity_scale = 3.0;  ///< positive: the size of velocities for theta of unit length
};

/// What a transformer made of a batch.
struct Transformed {
  at::Tensor aligned;                  ///< (cases, channels, length)
  at::Tensor positions;                ///< (cases, length): phi on the grid; with resample, too
  std::vector<at::Tensor> thetas;      ///< one per layer: (cases, dimension)
  std::vector<at::Tensor> velocities;  ///< one per layer: (cases, cells + 1)
};

class TemporalTransformer : public torch::nn::Module {
 public:
  /// For series of `channels`, which its networks see in `length` steps.
  TemporalTransformer(std::int64_t channels, std::int64_t length, const TransformerOptions& options = {});

  [[nodiscard]] Transformed forward(const at::Tensor& series, double time = 1.0);
  /// Series in common time, (cases, channels, anything), brought back by the exact inverse of the warps, to `length`
  /// steps.
  [[nodiscard]] at::Tensor inverse(const at::Tensor& aligned, const std::vector<at::Tensor>& velocities,
                                   std::int64_t length, double time = 1.0) const;

  [[nodiscard]] std::int64_t length() const noexcept { return length_; }
  [[nodiscard]] const TransformerOptions& options() const noexcept { return options_; }
  /// W: (cells + 1, dimension).
  [[nodiscard]] const at::Tensor& vertex_basis() const noexcept { return vertex_basis_; }

 private:
  [[nodiscard]] at::Tensor grid(std::int64_t length) const;

  std::int64_t length_;
  TransformerOptions options_;
  std::vector<std::shared_ptr<LocalizationNet>> nets_;  // one, or one per layer
  at::Tensor vertex_basis_;
};

}  // namespace diffeo
