#include "normalized_pooling.hpp"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "group_value.hpp"
#include "pooling/kernel_set.hpp"
#include "shared_batch_norm.hpp"

namespace diffeo {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Values that are worth a thread.
constexpr std::int64_t kValuesPerThread = 32768;

/// Of every channel, (channels) in double precision.
struct Statistics {
  at::Tensor mean;
  at::Tensor inverse_deviation;
  double count = 0.0;  // of the values that they are of; 0 where they are not those of the batch
};

template <class Real>
pooling::ChannelRows<Real> channel_of(Real* values, const at::Tensor& tensor, std::int64_t channel) {
  const std::int64_t steps = tensor.size(2);
  return {values + channel * steps, tensor.size(1) * steps, tensor.size(0), steps};
}
template <class Real>
pooling::ChannelRows<const Real> channel_of(const at::Tensor& tensor, std::int64_t channel) {
  return channel_of(tensor.const_data_ptr<Real>(), tensor, channel);
}
template <class Real>
pooling::ChannelRows<Real> mutable_channel_of(const at::Tensor& tensor, std::int64_t channel) {
  return channel_of(tensor.mutable_data_ptr<Real>(), tensor, channel);
}

template <class Work>
void for_each_channel(const at::Tensor& features, const Work& work) {
  const std::int64_t values = std::max<std::int64_t>(1, features.size(0) * features.size(2));
  const std::int64_t grain = std::max<std::int64_t>(1, kValuesPerThread / values);
  at::parallel_for(0, features.size(1), grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t channel = begin; channel < end; ++channel) work(channel);
  });
}

template <class Real>
const pooling::ChannelKernels<Real>& kernels_of() noexcept {
  if constexpr (std::is_same_v<Real, float>) {
    return pooling::pooling_kernels().of_float;
  } else {
    return pooling::pooling_kernels().of_double;
  }
}

/// Calls `work` with the kernels for the tensor's numbers.
template <class Work>
void with_kernels(const at::Tensor& features, const Work& work) {
  features.scalar_type() == at::kFloat ? work(kernels_of<float>()) : work(kernels_of<double>());
}

/// One channel's numbers of normalizing, and of what goes back.
struct Channel {
  double weight;
  double bias;
  double mean;
  double inverse_deviation;
  double count;

  template <class Real>
  [[nodiscard]] pooling::Normalizer<Real> normalizer() const {
    const double scale = weight * inverse_deviation;
    return {static_cast<Real>(scale), static_cast<Real>(bias - mean * scale)};
  }
};

class Channels {
 public:
  Channels(const at::Tensor& weight, const at::Tensor& bias, const Statistics& statistics)
      : weight_(weight.to(at::kDouble).contiguous()),
        bias_(bias.to(at::kDouble).contiguous()),
        statistics_(statistics) {}

  [[nodiscard]] Channel operator[](std::int64_t channel) const {
    const auto number = [&](const at::Tensor& tensor) { return tensor.const_data_ptr<double>()[channel]; };
    return {number(weight_), number(bias_), number(statistics_.mean), number(statistics_.inverse_deviation),
            statistics_.count};
  }

 private:
  at::Tensor weight_;
  at::Tensor bias_;
  Statistics statistics_;
};

void refuse_second_derivatives() {
  TORCH_CHECK(!at::GradMode::is_enabled(), "pooling has no second derivatives (create_graph)");
}

class NormalizedPooling : public torch::autograd::Function<NormalizedPooling> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& features, const at::Tensor& weight,
                            const at::Tensor& bias, const Statistics& statistics, bool pools, const Group& group) {
    context->save_for_backward({features, weight, bias, statistics.mean, statistics.inverse_deviation});
    context->saved_data["pools"] = pools;
    context->saved_data["count"] = statistics.count;
    context->saved_data["group"] = value_of(group);
    const at::Tensor pooled =
        at::empty({features.size(0), features.size(1), features.size(2) / (pools ? 2 : 1)}, features.options());
    const Channels channels(weight, bias, statistics);
    with_kernels(features, [&]<class Real>(const pooling::ChannelKernels<Real>& kernels) {
      for_each_channel(features, [&](std::int64_t channel) {
        kernels.pool(pools ? 2 : 1, channel_of<Real>(features, channel), channels[channel].normalizer<Real>(),
                     mutable_channel_of<Real>(pooled, channel));
      });
    });
    return pooled;
  }

  static variable_list backward(AutogradContext* context, const variable_list& cotangents) {
    refuse_second_derivatives();
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& features = saved[0];
    const at::Tensor gradients = cotangents[0].contiguous();
    const at::Tensor by_features = at::empty_like(features);
    const at::Tensor by_weight = at::empty({features.size(1)}, at::kDouble);
    const at::Tensor by_bias = at::empty_like(by_weight);
    const Channels channels(saved[1], saved[2], {saved[3], saved[4], context->saved_data["count"].toDouble()});
    const Group group = group_of(context->saved_data["group"]);
    std::vector<double> shares(static_cast<std::size_t>(2 * features.size(1)));  // of a channel's gradient sums
    const int factor = context->saved_data["pools"].toBool() ? 2 : 1;
    with_kernels(features, [&]<class Real>(const pooling::ChannelKernels<Real>& kernels) {
      const auto add_up = [&](std::int64_t channel) {
        const Channel numbers = channels[channel];
        const pooling::GradientSums sums =
            kernels.gradient_sums(factor, channel_of<Real>(features, channel), channel_of<Real>(gradients, channel),
                                  numbers.normalizer<Real>(), static_cast<Real>(numbers.mean));
        by_bias.mutable_data_ptr<double>()[channel] = sums.gradient;
        by_weight.mutable_data_ptr<double>()[channel] = sums.with_feature * numbers.inverse_deviation;
        return sums;
      };
      const auto give_back = [&](std::int64_t channel, const pooling::GradientSums& sums) {
        const Channel numbers = channels[channel];
        kernels.give_back(factor, channel_of<Real>(features, channel), channel_of<Real>(gradients, channel),
                          numbers.normalizer<Real>(), answer<Real>(numbers, sums),
                          mutable_channel_of<Real>(by_features, channel));
      };
      if (group.alone()) {  // while the channel is at hand
        for_each_channel(features, [&](std::int64_t channel) { give_back(channel, add_up(channel)); });
        return;
      }
      for_each_channel(features, [&](std::int64_t channel) {
        const pooling::GradientSums sums = add_up(channel);
        const auto place = static_cast<std::size_t>(2 * channel);
        shares[place] = sums.gradient;
        shares[place + 1] = sums.with_feature;
      });
      group.sum(shares);
      for_each_channel(features, [&](std::int64_t channel) {
        const auto place = static_cast<std::size_t>(2 * channel);
        give_back(channel, {shares[place], shares[place + 1]});
      });
    });
    return {by_features, by_weight.to(saved[1].scalar_type()), by_bias.to(saved[2].scalar_type()), {}, {}, {}};
  }

 private:
  /// The statistics of a batch move with its features: with x^ = (x - mean) / deviation, the gradient by x is
  /// scale (g - mean(g) - x^ mean(g x^)). Statistics that stay as they are do not answer.
  template <class Real>
  static pooling::Answer<Real> answer(const Channel& numbers, const pooling::GradientSums& sums) {
    const double scale = numbers.weight * numbers.inverse_deviation;
    if (numbers.count == 0.0) return {static_cast<Real>(scale), Real{0}, Real{0}};
    const double slope =
        -scale * numbers.inverse_deviation * numbers.inverse_deviation * sums.with_feature / numbers.count;
    const double offset = -scale * sums.gradient / numbers.count - slope * numbers.mean;
    return {static_cast<Real>(scale), static_cast<Real>(slope), static_cast<Real>(offset)};
  }
};

/// Max pooling by two and ReLU of features that are as they should be.
class RectifiedPooling : public torch::autograd::Function<RectifiedPooling> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& features) {
    context->save_for_backward({features});
    const at::Tensor pooled = at::empty({features.size(0), features.size(1), features.size(2) / 2}, features.options());
    with_kernels(features, [&]<class Real>(const pooling::ChannelKernels<Real>& kernels) {
      for_each_channel(features, [&](std::int64_t channel) {
        kernels.pool(2, channel_of<Real>(features, channel), pooling::Normalizer<Real>{1, 0},
                     mutable_channel_of<Real>(pooled, channel));
      });
    });
    return pooled;
  }

  static variable_list backward(AutogradContext* context, const variable_list& cotangents) {
    refuse_second_derivatives();
    const at::Tensor features = context->get_saved_variables()[0];
    const at::Tensor gradients = cotangents[0].contiguous();
    const at::Tensor by_features = at::empty_like(features);
    with_kernels(features, [&]<class Real>(const pooling::ChannelKernels<Real>& kernels) {
      for_each_channel(features, [&](std::int64_t channel) {
        kernels.give_back(2, channel_of<Real>(features, channel), channel_of<Real>(gradients, channel),
                          pooling::Normalizer<Real>{1, 0}, pooling::Answer<Real>{1, 0, 0},
                          mutable_channel_of<Real>(by_features, channel));
      });
    });
    return {by_features};
  }
};

at::Tensor inverse_deviations(const at::Tensor& variance, double epsilon) { return (variance + epsilon).rsqrt(); }

/// Makes of this process's mean and variance those of all, and of their number that of all. Sums are taken about the
/// running mean, which all have and which is near: little of the variance is lost in the difference of squares.
void share_moments(const at::Tensor& mean, const at::Tensor& variance, double& count, const at::Tensor& running_mean,
                   const Group& group) {
  const at::Tensor center = running_mean.to(at::kDouble);
  const at::Tensor apart = count == 0.0 ? at::zeros_like(mean) : mean - center;
  const at::Tensor square = count == 0.0 ? at::zeros_like(mean) : variance + apart.square();
  const at::Tensor sums = at::cat({count * apart, count * square, at::full({1}, count, at::kDouble)});
  group.sum_in_place(sums);
  const std::int64_t channels = mean.size(0);
  count = sums[2 * channels].item<double>();
  const at::Tensor from_center = sums.narrow(0, 0, channels) / count;
  mean.copy_(center + from_center);
  variance.copy_((sums.narrow(0, channels, channels) / count - from_center.square()).clamp_min(0.0));
}

/// Of this batch; the running averages move towards them.
Statistics batch_statistics(const at::Tensor& features, torch::nn::BatchNorm1dImpl& norm, const Group& group) {
  const at::NoGradGuard no_gradients;
  const at::Tensor mean = at::empty({features.size(1)}, at::kDouble);
  const at::Tensor variance = at::empty_like(mean);
  with_kernels(features, [&]<class Real>(const pooling::ChannelKernels<Real>& kernels) {
    for_each_channel(features, [&](std::int64_t channel) {
      const pooling::Moments moments = kernels.moments(channel_of<Real>(features, channel));
      mean.mutable_data_ptr<double>()[channel] = moments.mean;
      variance.mutable_data_ptr<double>()[channel] = moments.variance;
    });
  });
  auto count = static_cast<double>(features.size(0) * features.size(2));
  if (!group.alone()) share_moments(mean, variance, count, norm.running_mean, group);
  move_running_averages(norm, mean, variance, count);
  return {mean, inverse_deviations(variance, norm.options.eps()), count};
}

Statistics running_statistics(const torch::nn::BatchNorm1dImpl& norm) {
  return {norm.running_mean.to(at::kDouble), inverse_deviations(norm.running_var.to(at::kDouble), norm.options.eps())};
}

bool is_for_the_kernels(const at::Tensor& features) {
  const at::ScalarType type = features.scalar_type();
  return features.is_cpu() && (type == at::kFloat || type == at::kDouble);
}

}  // namespace

at::Tensor normalized_pooling(const at::Tensor& features, torch::nn::BatchNorm1dImpl& norm, bool pools,
                              const Group& group) {
  if (!is_for_the_kernels(features) || norm.weight.scalar_type() != features.scalar_type()) {
    const at::Tensor normalized = normalized_over(group, features, norm);
    return (pools ? at::max_pool1d(normalized, 2) : normalized).relu();
  }
  const at::Tensor rows = features.contiguous();
  const Statistics statistics =
      norm.is_training() ? batch_statistics(rows.detach(), norm, group) : running_statistics(norm);
  return NormalizedPooling::apply(rows, norm.weight, norm.bias, statistics, pools, group);
}

at::Tensor rectified_pooling(const at::Tensor& features) {
  if (!is_for_the_kernels(features)) return at::max_pool1d(features, 2).relu();
  return RectifiedPooling::apply(features.contiguous());
}

}  // namespace diffeo
