#include "fused_losses.hpp"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace diffeo::fused {
namespace {

void refuse_second_derivatives() {
  TORCH_CHECK(!at::GradMode::is_enabled(), "the losses have no second derivatives (create_graph)");
}

template <class Real>
void add_up(std::span<const Real> rows, std::span<const std::int64_t> labels, std::size_t features,
            std::span<Real> totals) {
  const std::size_t columns = features + 1;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    Real* const total = totals.data() + static_cast<std::size_t>(labels[row]) * columns;
    for (std::size_t i = 0; i < features; ++i) total[i] += rows[row * features + i];
    total[features] += Real{1};
  }
}

/// What the totals of the classes come to: means, and the weight of a case of each class in the loss.
template <class Real>
struct ClassMeans {
  std::vector<Real> means;
  std::vector<double> weights;

  ClassMeans(std::span<const Real> totals, std::size_t features) {
    const std::size_t classes = totals.size() / (features + 1);
    const auto total = [&](std::size_t label) { return totals.subspan(label * (features + 1), features + 1); };
    double counted = 0.0;
    for (std::size_t label = 0; label < classes; ++label) counted += total(label)[features] >= Real{2} ? 1.0 : 0.0;
    for (std::size_t label = 0; label < classes; ++label) {
      const auto count = static_cast<double>(total(label)[features]);
      const auto share = static_cast<Real>(1.0 / std::max(count, 1.0));
      for (std::size_t i = 0; i < features; ++i) means.push_back(total(label)[i] * share);
      weights.push_back(count < 2.0 ? 0.0 : 1.0 / ((count - 1.0) * counted * static_cast<double>(features)));
    }
  }
};

/// Writes every row's difference from the mean of its class, times the weight of the class in the loss, into
/// `weighted`, and gives what the rows add to the loss.
template <class Real>
double weighted_residuals(std::span<const Real> rows, std::span<const std::int64_t> labels,
                          const ClassMeans<Real>& classes, std::span<Real> weighted) {
  const std::size_t features = labels.empty() ? 0 : rows.size() / labels.size();
  double loss = 0.0;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    const auto label = static_cast<std::size_t>(labels[row]);
    const double weight = classes.weights[label];
    Real sum{0};
    for (std::size_t i = 0; i < features; ++i) {
      const Real residual = rows[row * features + i] - classes.means[label * features + i];
      sum += residual * residual;
      weighted[row * features + i] = static_cast<Real>(weight) * residual;
    }
    loss += weight * static_cast<double>(sum);
  }
  return loss;
}

template <class Real>
std::span<const Real> numbers_of(const at::Tensor& tensor) {
  return {tensor.const_data_ptr<Real>(), static_cast<std::size_t>(tensor.numel())};
}
template <class Real>
std::span<Real> mutable_numbers_of(const at::Tensor& tensor) {
  return {tensor.mutable_data_ptr<Real>(), static_cast<std::size_t>(tensor.numel())};
}

template <class Real>
at::Tensor variance_of(const at::Tensor& rows, const at::Tensor& labels, const at::Tensor& totals,
                       const at::Tensor& weighted) {
  const ClassMeans<Real> classes(numbers_of<Real>(totals), static_cast<std::size_t>(totals.size(1) - 1));
  return at::full({},
                  weighted_residuals<Real>(numbers_of<Real>(rows), numbers_of<std::int64_t>(labels), classes,
                                           mutable_numbers_of<Real>(weighted)),
                  rows.options());
}

class WithinClassVariance : public torch::autograd::Function<WithinClassVariance> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& aligned,
                            const at::Tensor& labels, const at::Tensor& totals) {
    const at::Tensor rows = aligned.contiguous();
    const at::Tensor weighted = at::empty_like(rows);
    context->save_for_backward({weighted});
    return rows.scalar_type() == at::kFloat ? variance_of<float>(rows, labels.contiguous(), totals, weighted)
                                            : variance_of<double>(rows, labels.contiguous(), totals, weighted);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    refuse_second_derivatives();
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
    refuse_second_derivatives();
    const auto saved = context->get_saved_variables();
    const double scale = 2.0 / static_cast<double>(saved[0].size(1));
    const at::Tensor& by_distance = gradients[0];
    const at::Tensor by_rows = at::addmm(saved[0] * by_distance.sum(1, true), by_distance, saved[1], scale, -scale);
    return {by_rows.view(context->saved_data["shape"].toIntVector()), {}};
  }
};

/// What takes a series out of the centroid of its own class: d (n / (n - 1))^2. A class of one has no others; its
/// series then counts as if there were one, so that it is not pulled anywhere.
std::vector<double> own_class_factors(const at::Tensor& counts, std::int64_t classes) {
  std::vector<double> factors(static_cast<std::size_t>(classes), 1.0);
  if (!counts.defined()) return factors;
  const at::Tensor doubles = counts.to(at::kDouble).contiguous();
  const std::span<const double> numbers(doubles.const_data_ptr<double>(), factors.size());
  std::ranges::transform(numbers, factors.begin(), [](double count) {
    const double at_least_two = std::max(count, 2.0);
    return std::pow(at_least_two / (at_least_two - 1.0), 2);
  });
  return factors;
}

struct RowEntropy {
  double loss = 0.0;
  double by_log_sharpness = 0.0;
};

/// One series: `logits` becomes the gradient by the logits. A series that shares nothing with the centroid of its own
/// class says nothing: its distance is infinite.
RowEntropy row_entropy(std::span<double> logits, std::size_t label) {
  if (!std::isfinite(logits[label])) {
    std::ranges::fill(logits, 0.0);
    return {};
  }
  const double most = *std::ranges::max_element(logits);
  double sum = 0.0;
  for (const double logit : logits) sum += std::exp(logit - most);
  RowEntropy result{std::log(sum) + most - logits[label], 0.0};
  for (std::size_t k = 0; k < logits.size(); ++k) {
    const double gradient = std::exp(logits[k] - most) / sum - (k == label ? 1.0 : 0.0);
    if (gradient != 0.0) result.by_log_sharpness += gradient * logits[k];  // where nothing is shared, 0 times infinity
    logits[k] = gradient;
  }
  return result;
}

struct Entropy {
  double loss = 0.0;
  double by_log_sharpness = 0.0;
};

template <class Real>
Entropy entropy_of(const at::Tensor& distances, const at::Tensor& labels, std::span<const double> factors,
                   double sharpness, const at::Tensor& by_distance) {
  const std::size_t classes = factors.size();
  const Real* const from = distances.const_data_ptr<Real>();
  Real* const to = by_distance.mutable_data_ptr<Real>();
  const double share = 1.0 / static_cast<double>(distances.size(0));
  std::vector<double> logits(classes);
  Entropy result;
  for (std::size_t row = 0; row < static_cast<std::size_t>(distances.size(0)); ++row) {
    const auto label = static_cast<std::size_t>(labels.const_data_ptr<std::int64_t>()[row]);
    const auto slope = [&](std::size_t k) { return -sharpness * (k == label ? factors[k] : 1.0); };
    for (std::size_t k = 0; k < classes; ++k) logits[k] = slope(k) * static_cast<double>(from[row * classes + k]);
    const RowEntropy one = row_entropy(logits, label);
    result.loss += share * one.loss;
    result.by_log_sharpness += share * one.by_log_sharpness;
    for (std::size_t k = 0; k < classes; ++k) to[row * classes + k] = static_cast<Real>(share * slope(k) * logits[k]);
  }
  return result;
}

class CentroidCrossEntropy : public torch::autograd::Function<CentroidCrossEntropy> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& distances,
                            const at::Tensor& labels, const std::vector<double>& factors,
                            const at::Tensor& log_sharpness) {
    const at::Tensor rows = distances.contiguous();
    const at::Tensor by_distance = at::empty_like(rows);
    const double sharpness = std::exp(log_sharpness.item<double>());
    const Entropy entropy = rows.scalar_type() == at::kFloat
                                ? entropy_of<float>(rows, labels.contiguous(), factors, sharpness, by_distance)
                                : entropy_of<double>(rows, labels.contiguous(), factors, sharpness, by_distance);
    context->save_for_backward({by_distance, at::full({}, entropy.by_log_sharpness, log_sharpness.options())});
    return at::full({}, entropy.loss, rows.options());
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    refuse_second_derivatives();
    const auto saved = context->get_saved_variables();
    return {saved[0] * gradients[0], {}, {}, saved[1] * gradients[0]};
  }
};

class PriorPenalty : public torch::autograd::Function<PriorPenalty> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& theta,
                            const at::Tensor& precision) {
    const at::Tensor weighted = at::mm(theta, precision).div_(static_cast<double>(theta.numel()));
    context->save_for_backward({weighted});
    return at::dot(weighted.flatten(), theta.flatten());
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    refuse_second_derivatives();
    return {context->get_saved_variables()[0] * (2.0 * gradients[0]), {}};
  }
};

}  // namespace

bool applies_to(const at::Tensor& tensor) {
  const at::ScalarType type = tensor.scalar_type();
  return tensor.is_cpu() && (type == at::kFloat || type == at::kDouble);
}

bool applies_to_series(const at::Tensor& series) {
  return applies_to(series) && series.detach().sum().isfinite().item<bool>();  // a NaN anywhere makes the sum one
}

at::Tensor class_totals(const at::Tensor& aligned, const at::Tensor& labels, std::int64_t classes) {
  const at::Tensor rows = aligned.flatten(1).contiguous();
  const at::Tensor whole = labels.contiguous();
  const auto features = static_cast<std::size_t>(rows.size(1));
  const at::Tensor totals = at::zeros({classes, rows.size(1) + 1}, rows.options());
  const auto add = [&]<class Real>(Real) {
    add_up<Real>(numbers_of<Real>(rows), numbers_of<std::int64_t>(whole), features, mutable_numbers_of<Real>(totals));
  };
  rows.scalar_type() == at::kFloat ? add(float{}) : add(double{});
  return totals;
}

at::Tensor within_class_variance(const at::Tensor& aligned, const at::Tensor& labels, const at::Tensor& totals) {
  return WithinClassVariance::apply(aligned, labels, totals);
}

at::Tensor squared_distances(const at::Tensor& aligned, const at::Tensor& centroids) {
  return SquaredDistances::apply(aligned, centroids.detach());
}

at::Tensor centroid_cross_entropy(const at::Tensor& distances, const at::Tensor& labels, const at::Tensor& counts,
                                  const at::Tensor& log_sharpness) {
  return CentroidCrossEntropy::apply(distances, labels, own_class_factors(counts, distances.size(1)), log_sharpness);
}

at::Tensor prior_penalty(const at::Tensor& theta, const at::Tensor& precision) {
  return PriorPenalty::apply(theta, precision);
}

}  // namespace diffeo::fused
