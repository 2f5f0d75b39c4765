// Layers that may take long, and can be interrupted before they begin. They compute what torch's own do.
//
// Forwards a layer asks before it computes, a recurrent one again and again. Backwards a hook on what it gave asks before its gradient is computed; the
// hook keeps the interruption that was in force in the forward pass.
#pragma once

#include <torch/torch.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "diffeo/torch/interruption.hpp"

namespace diffeo {

/// What `compute` gives, a tensor.
template <class Compute>
[[nodiscard]] at::Tensor interruptible(const Compute& compute) {
  const Interruption ask = interruption_in_force();
  if (!ask) return compute();
  ask();
  const at::Tensor output = compute();
  if (output.requires_grad()) output.register_hook([ask](const at::Tensor&) { ask(); });
  return output;
}

class ConvolutionImpl final : public torch::nn::Conv1dImpl {
 public:
  using Conv1dImpl::Conv1dImpl;
  [[nodiscard]] at::Tensor forward(const at::Tensor& input) {
    return interruptible([&] { return Conv1dImpl::forward(input); });
  }
};
TORCH_MODULE(Convolution);

/// A GRU in both directions over (cases, steps, channels), which asks every few steps.
class RecurrentLayerImpl final : public torch::nn::GRUImpl {
 public:
  RecurrentLayerImpl(std::int64_t channels, std::int64_t width)
      : GRUImpl(torch::nn::GRUOptions(channels, width).batch_first(true).bidirectional(true)) {}

  /// The states, (cases, steps, 2 * width).
  [[nodiscard]] at::Tensor forward(const at::Tensor& input) {
    const std::vector<at::Tensor> weights = all_weights();
    const at::TensorList all(weights);
    const std::size_t half = all.size() / 2;  // of the way there, and of the way back
    return at::cat({read(input, all.slice(0, half)), read(input.flip(1), all.slice(half)).flip(1)}, 2);
  }

 private:
  static constexpr std::int64_t kStepsAtOnce = 64;

  [[nodiscard]] at::Tensor read(const at::Tensor& input, at::TensorList weights) const {
    at::Tensor state = input.new_zeros({1, input.size(0), options_base.hidden_size()});
    std::vector<at::Tensor> states;
    for (const at::Tensor& steps : input.split(kStepsAtOnce, 1)) {
      states.push_back(interruptible([&] {
        auto [outputs, last] = at::gru(steps, state, weights, true, 1, 0.0, is_training(), false, true);
        state = last;
        return outputs;
      }));
    }
    return at::cat(states, 1);
  }
};
TORCH_MODULE(RecurrentLayer);

}  // namespace diffeo
