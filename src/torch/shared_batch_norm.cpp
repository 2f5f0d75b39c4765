#include "shared_batch_norm.hpp"

namespace diffeo {

void move_running_averages(torch::nn::BatchNorm1dImpl& norm, const at::Tensor& mean, const at::Tensor& variance,
                           double count) {
  if (count == 0.0) return;  // of nothing there is no mean to move to
  const at::NoGradGuard no_gradients;
  const double part = norm.options.momentum().value();
  norm.num_batches_tracked += 1;
  norm.running_mean.lerp_(mean.to(norm.running_mean.scalar_type()), part);
  norm.running_var.lerp_((variance * (count / (count - 1.0))).to(norm.running_var.scalar_type()), part);
}

at::Tensor normalized_over(const Group& group, const at::Tensor& features, torch::nn::BatchNorm1dImpl& norm) {
  if (group.alone() || !norm.is_training()) return norm.forward(features);
  const std::int64_t channels = features.size(1);
  const auto own_count = static_cast<double>(features.size(0) * features.size(2));
  // About the running mean, which all processes have and which is near: little is lost in the difference of squares.
  const at::Tensor center = norm.running_mean.to(at::kDouble, /*non_blocking=*/false, /*copy=*/true);
  const at::Tensor apart = features.to(at::kDouble) - center.view({1, channels, 1});
  const at::Tensor sums =
      group.sum(at::cat({apart.sum({0, 2}), apart.square().sum({0, 2}), at::full({1}, own_count, center.options())}));
  const double count = sums[2 * channels].item<double>();
  const at::Tensor mean = sums.narrow(0, 0, channels) / count;
  const at::Tensor variance = sums.narrow(0, channels, channels) / count - mean.square();
  move_running_averages(norm, (center + mean).detach(), variance.detach(), count);
  const auto along = [&](const at::Tensor& values) { return values.view({1, channels, 1}); };
  const at::Tensor normalized = (apart - along(mean)) * along((variance + norm.options.eps()).rsqrt());
  return normalized.to(features.scalar_type()) * along(norm.weight) + along(norm.bias);
}

}  // namespace diffeo
