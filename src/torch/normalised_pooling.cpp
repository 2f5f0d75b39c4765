#include "normalised_pooling.hpp"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>

#include "normalised_pooling_kernels.hpp"

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

/// Calls `work` with the type of the tensor's numbers and with the factor of the pooling.
template <class Work>
void with_type_and_factor(const at::Tensor& features, bool pools, const Work& work) {
  const auto with_factor = [&]<class Real>(Real) {
    pools ? work.template operator()<Real, 2>() : work.template operator()<Real, 1>();
  };
  features.scalar_type() == at::kFloat ? with_factor(float{}) : with_factor(double{});
}

/// One channel's numbers of normalising, and of what goes back.
struct Channel {
  double weight;
  double bias;
  double mean;
  double inverse_deviation;

  template <class Real>
  [[nodiscard]] pooling::Normaliser<Real> normaliser() const {
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
    return {number(weight_), number(bias_), number(statistics_.mean), number(statistics_.inverse_deviation)};
  }

 private:
  at::Tensor weight_;
  at::Tensor bias_;
  Statistics statistics_;
};

void refuse_second_derivatives() {
  TORCH_CHECK(!at::GradMode::is_enabled(), "pooling has no second derivatives (create_graph)");
}

class NormalisedPooling : public torch::autograd::Function<NormalisedPooling> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& features, const at::Tensor& weight,
                            const at::Tensor& bias, const at::Tensor& mean, const at::Tensor& inverse_deviation,
                            bool pools, bool answers) {
    context->save_for_backward({features, weight, bias, mean, inverse_deviation});
    context->saved_data["pools"] = pools;
    context->saved_data["answers"] = answers;
    const at::Tensor pooled =
        at::empty({features.size(0), features.size(1), features.size(2) / (pools ? 2 : 1)}, features.options());
    const Channels channels(weight, bias, {mean, inverse_deviation});
    with_type_and_factor(features, pools, [&]<class Real, int Factor>() {
      for_each_channel(features, [&](std::int64_t channel) {
        pooling::pool<Factor>(channel_of<Real>(features, channel), channels[channel].normaliser<Real>(),
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
    const Channels channels(saved[1], saved[2], {saved[3], saved[4]});
    const bool answers = context->saved_data["answers"].toBool();
    with_type_and_factor(features, context->saved_data["pools"].toBool(), [&]<class Real, int Factor>() {
      for_each_channel(features, [&](std::int64_t channel) {
        const Channel numbers = channels[channel];
        const auto normaliser = numbers.normaliser<Real>();
        const auto from = channel_of<Real>(features, channel);
        const auto gradient = channel_of<Real>(gradients, channel);
        const pooling::GradientSums sums =
            pooling::gradient_sums<Factor>(from, gradient, normaliser, static_cast<Real>(numbers.mean));
        by_bias.mutable_data_ptr<double>()[channel] = sums.gradient;
        by_weight.mutable_data_ptr<double>()[channel] = sums.with_feature * numbers.inverse_deviation;
        pooling::give_back<Factor>(from, gradient, normaliser, answer<Real>(numbers, sums, from.count(), answers),
                                   mutable_channel_of<Real>(by_features, channel));
      });
    });
    return {by_features, by_weight.to(saved[1].scalar_type()), by_bias.to(saved[2].scalar_type()), {}, {}, {}, {}};
  }

 private:
  /// The statistics of a batch move with its features: with x^ = (x - mean) / deviation, the gradient by x is
  /// scale (g - mean(g) - x^ mean(g x^)). Statistics that stay as they are do not answer.
  template <class Real>
  static pooling::Answer<Real> answer(const Channel& numbers, const pooling::GradientSums& sums, std::int64_t count,
                                      bool answers) {
    const double scale = numbers.weight * numbers.inverse_deviation;
    if (!answers) return {static_cast<Real>(scale), Real{0}, Real{0}};
    const double slope =
        -scale * numbers.inverse_deviation * numbers.inverse_deviation * sums.with_feature / static_cast<double>(count);
    const double offset = -scale * sums.gradient / static_cast<double>(count) - slope * numbers.mean;
    return {static_cast<Real>(scale), static_cast<Real>(slope), static_cast<Real>(offset)};
  }
};

/// Max pooling by two and ReLU of features that are as they should be.
class RectifiedPooling : public torch::autograd::Function<RectifiedPooling> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& features) {
    context->save_for_backward({features});
    const at::Tensor pooled = at::empty({features.size(0), features.size(1), features.size(2) / 2}, features.options());
    with_type_and_factor(features, true, [&]<class Real, int Factor>() {
      for_each_channel(features, [&](std::int64_t channel) {
        pooling::pool<Factor>(channel_of<Real>(features, channel), pooling::Normaliser<Real>{1, 0},
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
    with_type_and_factor(features, true, [&]<class Real, int Factor>() {
      for_each_channel(features, [&](std::int64_t channel) {
        pooling::give_back<Factor>(channel_of<Real>(features, channel), channel_of<Real>(gradients, channel),
                                   pooling::Normaliser<Real>{1, 0}, pooling::Answer<Real>{1, 0, 0},
                                   mutable_channel_of<Real>(by_features, channel));
      });
    });
    return {by_features};
  }
};

at::Tensor inverse_deviations(const at::Tensor& variance, double epsilon) { return (variance + epsilon).rsqrt(); }

/// Of this batch; the running averages move towards them.
Statistics batch_statistics(const at::Tensor& features, torch::nn::BatchNorm1dImpl& norm) {
  const at::NoGradGuard no_gradients;
  const at::Tensor mean = at::empty({features.size(1)}, at::kDouble);
  const at::Tensor variance = at::empty_like(mean);
  with_type_and_factor(features, false, [&]<class Real, int>() {
    for_each_channel(features, [&](std::int64_t channel) {
      const pooling::Moments moments = pooling::moments(channel_of<Real>(features, channel));
      mean.mutable_data_ptr<double>()[channel] = moments.mean;
      variance.mutable_data_ptr<double>()[channel] = moments.variance;
    });
  });
  const auto count = static_cast<double>(features.size(0) * features.size(2));
  const double part = norm.options.momentum().value();
  norm.num_batches_tracked += 1;
  norm.running_mean.lerp_(mean.to(norm.running_mean.scalar_type()), part);
  norm.running_var.lerp_((variance * (count / (count - 1.0))).to(norm.running_var.scalar_type()), part);
  return {mean, inverse_deviations(variance, norm.options.eps())};
}

Statistics running_statistics(const torch::nn::BatchNorm1dImpl& norm) {
  return {norm.running_mean.to(at::kDouble), inverse_deviations(norm.running_var.to(at::kDouble), norm.options.eps())};
}

bool is_for_the_kernels(const at::Tensor& features) {
  const at::ScalarType type = features.scalar_type();
  return features.is_cpu() && (type == at::kFloat || type == at::kDouble);
}

}  // namespace

at::Tensor normalised_pooling(const at::Tensor& features, torch::nn::BatchNorm1dImpl& norm, bool pools) {
  if (!is_for_the_kernels(features) || norm.weight.scalar_type() != features.scalar_type()) {
    const at::Tensor normalised = norm.forward(features);
    return (pools ? at::max_pool1d(normalised, 2) : normalised).relu();
  }
  const at::Tensor rows = features.contiguous();
  const Statistics statistics = norm.is_training() ? batch_statistics(rows.detach(), norm) : running_statistics(norm);
  return NormalisedPooling::apply(rows, norm.weight, norm.bias, statistics.mean, statistics.inverse_deviation, pools,
                                  norm.is_training());
}

at::Tensor rectified_pooling(const at::Tensor& features) {
  if (!is_for_the_kernels(features)) return at::max_pool1d(features, 2).relu();
  return RectifiedPooling::apply(features.contiguous());
}

}  // namespace diffeo
