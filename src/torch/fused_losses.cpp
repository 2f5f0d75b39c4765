#include "fused_losses.hpp"

#include <torch/torch.h>

#include <algorithm>
#include <span>
#include <vector>

namespace diffeo::fused {
namespace {

/// Writes every row's difference from the mean of its class, times the weight of the class in the loss, into
/// `weighted`, and gives the loss.
template <class Real>
double weighted_residuals(std::span<const Real> rows, std::span<const std::int64_t> labels, std::size_t classes,
                          std::span<Real> weighted) {
  const std::size_t features = labels.empty() ? 0 : rows.size() / labels.size();
  std::vector<Real> means(classes * features, Real{0});
  std::vector<double> counts(classes, 0.0);
  for (std::size_t row = 0; row < labels.size(); ++row) {
    const auto label = static_cast<std::size_t>(labels[row]);
    ++counts[label];
    for (std::size_t i = 0; i < features; ++i) means[label * features + i] += rows[row * features + i];
  }
  for (std::size_t label = 0; label < classes; ++label) {
    const auto share = static_cast<Real>(1.0 / std::max(counts[label], 1.0));
    for (std::size_t i = 0; i < features; ++i) means[label * features + i] *= share;
  }
  const auto counted = static_cast<double>(std::ranges::count_if(counts, [](double count) { return count >= 2.0; }));
  double loss = 0.0;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    const auto label = static_cast<std::size_t>(labels[row]);
    const double weight =
        counts[label] < 2.0 ? 0.0 : 1.0 / ((counts[label] - 1.0) * counted * static_cast<double>(features));
    Real sum{0};
    for (std::size_t i = 0; i < features; ++i) {
      const Real residual = rows[row * features + i] - means[label * features + i];
      sum += residual * residual;
      weighted[row * features + i] = static_cast<Real>(weight) * residual;
    }
    loss += weight * static_cast<double>(sum);
  }
  return loss;
}

template <class Real>
at::Tensor variance_of(const at::Tensor& rows, const at::Tensor& labels, std::int64_t classes,
                       const at::Tensor& weighted) {
  const auto size = static_cast<std::size_t>(rows.numel());
  const double loss =
      weighted_residuals<Real>({rows.const_data_ptr<Real>(), size},
                               {labels.const_data_ptr<std::int64_t>(), static_cast<std::size_t>(labels.numel())},
                               static_cast<std::size_t>(classes), {weighted.mutable_data_ptr<Real>(), size});
  return at::full({}, loss, rows.options());
}

class WithinClassVariance : public torch::autograd::Function<WithinClassVariance> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& aligned,
                            const at::Tensor& labels, std::int64_t classes) {
    const at::Tensor rows = aligned.contiguous();
    const at::Tensor weighted = at::empty_like(rows);
    context->save_for_backward({weighted});
    return rows.scalar_type() == at::kFloat ? variance_of<float>(rows, labels.contiguous(), classes, weighted)
                                            : variance_of<double>(rows, labels.contiguous(), classes, weighted);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    return {context->get_saved_variables()[0] * (2.0 * gradients[0]), {}, {}};
  }
};

class SquaredDistances : public torch::autograd::Function<SquaredDistances> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& aligned,
                            const at::Tensor& centroids) {
    const at::Tensor rows = aligned.flatten(1);
    const at::Tensor means = centroids.flatten(1);
    context->save_for_backward({rows, means});
    context->saved_data["shape"] = aligned.sizes();
    const double share = 1.0 / static_cast<double>(rows.size(1));
    const at::Tensor squares = rows.square().sum(1, true) + means.square().sum(1);
    return at::addmm(squares, rows, means.t(), share, -2.0 * share).clamp_min_(0.0);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const double scale = 2.0 / static_cast<double>(saved[0].size(1));
    const at::Tensor& by_distance = gradients[0];
    const at::Tensor by_rows = at::addmm(saved[0] * by_distance.sum(1, true), by_distance, saved[1], scale, -scale);
    return {by_rows.view(context->saved_data["shape"].toIntVector()), {}};
  }
};

}  // namespace

bool applies_to(const at::Tensor& aligned) {
  const at::ScalarType type = aligned.scalar_type();
  if (!aligned.is_cpu() || (type != at::kFloat && type != at::kDouble)) return false;
  return aligned.detach().sum().isfinite().item<bool>();  // one pass: a NaN anywhere makes the sum one
}

at::Tensor within_class_variance(const at::Tensor& aligned, const at::Tensor& labels, std::int64_t classes) {
  return WithinClassVariance::apply(aligned, labels, classes);
}

at::Tensor squared_distances(const at::Tensor& aligned, const at::Tensor& centroids) {
  return SquaredDistances::apply(aligned, centroids.detach());
}

}  // namespace diffeo::fused
