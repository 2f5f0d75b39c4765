// A network that aligns series: it predicts a warp for each series and applies it.
//
//   theta_l    = localization_l(series as warped so far)            between -1 and 1
//   velocities = velocity_scale * W theta_l                         W of a WarpSpace, kept as a buffer
//   phi        = phi_1 o phi_2 o ... o phi_L                        phi_l the flow of layer l
//   aligned    = series o phi
//
// Every layer gives one warp, and the next layer sees the warped series. Layers have separate networks (as in
// the paper) or share one (as in DTAN).
//
//   Composition::compose    warps are composed exactly and the series is sampled once
//   Composition::resample   every layer samples the output of the previous one, as in the paper: interpolation errors
//                           accumulate
//
// The networks' predictions are returned as velocities, and everything else is a function of those: positions, aligned
// series, inverses. So the velocities of several networks may be averaged and then applied.
//
//   * series: (cases, channels, time), any time; NaN means missing, and padding if all channels are missing to the
//     end (diffeo/torch/network_input.hpp). The result has `length` steps, and does not depend on padding
//   * missing values stay missing and have zero gradients
//   * `time` scales the time of every layer's flow, in units of the horizon: 1 is the learned warp, 0 none, values in
//     between shrink it
//   * positions and points: 0 is the first sample of a series, 1 its last before the padding
//   * a single layer in closed form warps in one pass, without storing positions
//   * errors as for its operators and networks
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
  double horizon = 1.0;         ///< positive: duration of every layer's flow
  FlowMethod method = FlowMethod::exact;
  std::int64_t method_steps = 8;  ///< steps of numeric, squarings of scaling_squaring
};

/// The output of a transformer for a batch.
struct Transformed {
  at::Tensor aligned;                  ///< (cases, channels, length)
  std::vector<at::Tensor> thetas;      ///< one per layer: (cases, dimension)
  std::vector<at::Tensor> velocities;  ///< one per layer: (cases, cells + 1)
  std::vector<at::Tensor> evidence;    ///< one per layer: (cases, classes); empty without recognition
};

class TemporalTransformer : public torch::nn::Module {
 public:
  /// For series with `channels` channels; its networks see `length` steps.
  TemporalTransformer(std::int64_t channels, std::int64_t length, const TransformerOptions& options = {});

  /// labels: (cases), if the networks recognize classes and should use the warps of the true classes, as in
  /// training.
  [[nodiscard]] Transformed forward(const at::Tensor& series, double time = 1.0,
                                    const std::optional<at::Tensor>& labels = std::nullopt);

  /// The output of forward if its networks predict these velocities, one (cases, cells + 1) per layer.
  [[nodiscard]] at::Tensor apply(const at::Tensor& series, const std::vector<at::Tensor>& velocities,
                                 double time = 1.0) const;
  /// Carries series (cases, channels, any) from common time to own time by the inverse warps, to `length` steps.
  /// If series are shorter, `lengths` (cases) has the number of steps of each: these span its duration, and what
  /// follows is missing.
  [[nodiscard]] at::Tensor inverse(const at::Tensor& aligned, const std::vector<at::Tensor>& velocities,
                                   std::int64_t length, double time = 1.0,
                                   const std::optional<at::Tensor>& lengths = std::nullopt) const;

  /// phi at points, (n) for all cases or (cases, n): where in its own time a series is read. Also for resample.
  [[nodiscard]] at::Tensor positions(const std::vector<at::Tensor>& velocities, const at::Tensor& points,
                                     double time = 1.0) const;
  /// log phi' at points, shaped as for positions; only in closed form.
  [[nodiscard]] at::Tensor log_slopes(const std::vector<at::Tensor>& velocities, const at::Tensor& points,
                                      double time = 1.0) const;
  /// phi^{-1} at points: the moments of common time for moments of a series. Exact if the method is.
  [[nodiscard]] at::Tensor inverse_positions(const std::vector<at::Tensor>& velocities, const at::Tensor& points,
                                             double time = 1.0) const;
  /// The points of a series of `length` steps: equally spaced from 0 to 1.
  [[nodiscard]] at::Tensor grid(std::int64_t length) const;

  /// The random generator of dropout; empty means torch's own.
  void set_generator(const std::optional<at::Generator>& generator);
  /// As in LocalizationNet: the processes that share batches, and the rows of this one.
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

/// Draws the weights of all networks again, only from the generator (diffeo/torch/localization_net.hpp).
void initialize(TemporalTransformer& transformer, Initialization scheme, const at::Generator& generator);

}  // namespace diffeo
