// torch's batch normalization, with the statistics of a batch that is shared out over processes.
//
// Alone, and in evaluation, it is BatchNorm1d itself, bit for bit.
#pragma once

#include <torch/torch.h>

#include "diffeo/torch/group.hpp"

namespace diffeo {

/// Towards the mean and the variance of a batch of `count` values of each channel, as torch's own moves them;
/// without values nothing moves.
void move_running_averages(torch::nn::BatchNorm1dImpl& norm, const at::Tensor& mean, const at::Tensor& variance,
                           double count);

/// `norm` of what this process has of a batch, (cases, channels, steps), as if all of it were here.
[[nodiscard]] at::Tensor normalized_over(const Group& group, const at::Tensor& features,
                                         torch::nn::BatchNorm1dImpl& norm);

class SharedBatchNormImpl final : public torch::nn::BatchNorm1dImpl {
 public:
  using BatchNorm1dImpl::BatchNorm1dImpl;

  [[nodiscard]] at::Tensor forward(const at::Tensor& features) { return normalized_over(group_, features, *this); }
  void set_group(const Group& group) { group_ = group; }
  [[nodiscard]] const Group& group() const noexcept { return group_; }

 private:
  Group group_;
};
TORCH_MODULE(SharedBatchNorm);

}  // namespace diffeo
