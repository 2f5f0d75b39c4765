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
// What the networks decide is given back as velocities, and everything else is a function of those: positions, aligned
// series, inverses. So the velocities of several networks may be averaged and then applied.
//
//   * series: (cases, channels, time), any time; NaN means missing, and padding where all channels are missing to the
//     end (diffeo/torch/network_input.hpp). The result has `length` steps, and does not depend on padding
//   * missing values stay missing; they pass no gradient
//   * `time` stretches every layer's flow: 1 is the warp that was learned, 0 none, values between shrink it. It counts
//     in units of the horizon
//   * positions and points: 0 is the first sample of a series, 1 its last before the padding
//   * one layer in closed form is warped in one pass, and its positions are never stored
//   * errors as those of the operators and networks it is made of
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "diffeo/torch/localization_net.hpp"
#include "diffeo/torch/operators.hpp"
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
  double velocity_scale = 4.0;  ///< positive: the size of velocities for theta of unit length
  double horizon = 1.0;         ///< positive: how long the flow of every layer lasts
  FlowMethod method = FlowMethod::exact;
  std::int64_t method_steps = 8;  ///< steps of numeric, squarings of scaling_squaring
};

/// What a transformer made of a batch.
struct Transformed {
  at::Tensor aligned;                  ///< (cases, channels, length)
  std::vector<at::Tensor> thetas;      ///< one per layer: (cases, dimension)
  std::vector<at::Tensor> velocities;  ///< one per layer: (cases, cells + 1)
  std::vector<at::Tensor> evidence;    ///< one per layer: (cases, classes); none where there is nothing to recognise
};

class TemporalTransformer : public torch::nn::Module {
 public:
  /// For series of `channels`, which its networks see in `length` steps.
  TemporalTransformer(std::int64_t channels, std::int64_t length, const TransformerOptions& options = {});

  /// labels: (cases), where the networks tell classes apart and their warps are to be those of the true ones, as in
  /// training.
  [[nodiscard]] Transformed forward(const at::Tensor& series, double time = 1.0,
                                    const std::optional<at::Tensor>& labels = std::nullopt);

  /// What forward makes of the series when its networks decide on these velocities, one (cases, cells + 1) per layer.
  [[nodiscard]] at::Tensor apply(const at::Tensor& series, const std::vector<at::Tensor>& velocities,
                                 double time = 1.0) const;
  /// Series in common time, (cases, channels, anything), brought back by the inverse of the warps, to `length` steps.
  /// Where series end before that, `lengths` (cases) says how many steps each has: these span its duration, and what
  /// follows is missing.
  [[nodiscard]] at::Tensor inverse(const at::Tensor& aligned, const std::vector<at::Tensor>& velocities,
                                   std::int64_t length, double time = 1.0,
                                   const std::optional<at::Tensor>& lengths = std::nullopt) const;

  /// phi at points, (n) for all cases or (cases, n): where in its own time a series is read. With resample, too.
  [[nodiscard]] at::Tensor positions(const std::vector<at::Tensor>& velocities, const at::Tensor& points,
                                     double time = 1.0) const;
  /// log phi' at points, as positions; in closed form only.
  [[nodiscard]] at::Tensor log_slopes(const std::vector<at::Tensor>& velocities, const at::Tensor& points,
                                      double time = 1.0) const;
  /// phi^{-1} at points: where in common time a moment of a series goes. Exact where the method is.
  [[nodiscard]] at::Tensor inverse_positions(const std::vector<at::Tensor>& velocities, const at::Tensor& points,
                                             double time = 1.0) const;
  /// The points of a series of so many steps: equally spaced from 0 to 1.
  [[nodiscard]] at::Tensor grid(std::int64_t length) const;

  /// Where dropout takes its random numbers from; without a generator, from torch's own.
  void set_generator(const std::optional<at::Generator>& generator);
  /// As those of LocalizationNet: processes over which batches are shared out, and the rows that this one has.
  void set_group(const Group& group);
  void set_rows(const BatchRows& rows);

  [[nodiscard]] std::int64_t length() const noexcept { return length_; }
  [[nodiscard]] const TransformerOptions& options() const noexcept { return options_; }
  /// W: (cells + 1, dimension).
  [[nodiscard]] const at::Tensor& vertex_basis() const noexcept { return vertex_basis_; }

 private:
  [[nodiscard]] at::Tensor flowed(const at::Tensor& velocities, const at::Tensor& points, double time) const;
  [[nodiscard]] at::Tensor composed(const std::vector<at::Tensor>& velocities, at::Tensor points, double time) const;
  [[nodiscard]] at::Tensor read(const at::Tensor& series, const std::vector<at::Tensor>& velocities, double time) const;
  [[nodiscard]] at::Tensor resampled(const at::Tensor& series, const at::Tensor& velocities, double time) const;
  void check_layers(const std::vector<at::Tensor>& velocities) const;

  std::int64_t length_;
  TransformerOptions options_;
  std::vector<std::shared_ptr<LocalizationNet>> nets_;  // one, or one per layer
  at::Tensor vertex_basis_;

  friend void initialize(TemporalTransformer&, Initialization, const at::Generator&);
};

/// Draws the weights of all networks anew, from the generator alone (diffeo/torch/localization_net.hpp).
void initialize(TemporalTransformer& transformer, Initialization scheme, const at::Generator& generator);

}  // namespace diffeo
