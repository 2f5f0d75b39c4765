#include "diffeo/torch/losses.hpp"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "diffeo/torch/network_input.hpp"
#include "fused_losses.hpp"

namespace diffeo {
namespace {

/// Values with a weight of 1 where present and 0 where missing, and zero for what is missing.
struct Present {
  at::Tensor values;   // (rows, features)
  at::Tensor weights;  // the same, or undefined where everything is present
};

Present present(const at::Tensor& series) {
  const at::Tensor rows = series.flatten(1);
  const at::Tensor missing = rows.isnan();
  if (!missing.any().item<bool>()) return {rows, {}};
  return {rows.masked_fill(missing, 0.0), missing.logical_not().to(rows.scalar_type())};
}

at::Tensor ones_where_undefined(const at::Tensor& weights, const at::Tensor& like) {
  return weights.defined() ? weights : at::ones_like(like);
}

/// (cases, classes) of ones and zeros.
at::Tensor memberships(const at::Tensor& labels, std::int64_t classes, const at::TensorOptions& options) {
  return at::one_hot(labels, classes).to(options.dtype());
}

/// (cases): the mean of the squared differences where both are present; zero where nothing is.
at::Tensor mean_squared_difference(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor difference = (a - b).flatten(1);
  const at::Tensor missing = difference.isnan();
  if (!missing.any().item<bool>()) return difference.square().mean(1);
  // Where a NaN was, the gradient must be zero and not NaN: the values are replaced before anything is squared.
  const at::Tensor known = at::where(missing, at::zeros({}, difference.options()), difference);
  return known.square().sum(1) / missing.logical_not().sum(1).clamp_min(1);
}

/// The mean over the classes that have two cases or more of the mean of `values` (cases) within each, unbiased.
at::Tensor mean_over_classes(const at::Tensor& values, const at::Tensor& member, const Group& group) {
  const at::Tensor counts = group.sum(member.sum(0));
  const at::Tensor counted = (counts >= 2).to(values.scalar_type());
  const at::Tensor unbiased = values.matmul(member) / (counts - 1).clamp_min(1);
  return (unbiased * counted).sum() / counted.sum().clamp_min(1);
}

void check_device(const at::Tensor& tensor) {
  TORCH_CHECK_VALUE(fused::applies_to(tensor), "losses: expected float32 or float64 on the CPU, got ",
                    tensor.scalar_type(), " on ", tensor.device());
}

}  // namespace

void ClassSums::add(const at::Tensor& aligned, const at::Tensor& labels) {
  const Present known = present(aligned);
  const at::Tensor member = memberships(labels, classes_, aligned.options()).t();
  const at::Tensor counts = known.weights.defined() ? member.matmul(known.weights)
                                                    : member.sum(1, true).expand({classes_, known.values.size(1)});
  const auto shaped = [&](const at::Tensor& rows) {
    return rows.reshape({classes_, aligned.size(1), aligned.size(2)});
  };
  const at::Tensor sums = shaped(member.matmul(known.values));
  sums_ = sums_.defined() ? sums_ + sums : sums;
  counts_ = counts_.defined() ? counts_ + shaped(counts) : shaped(counts);
}

at::Tensor ClassSums::means(const Group& group) const {
  const at::Tensor sums = group.sum(sums_);
  const at::Tensor counts = group.sum(counts_);
  // Not 0 / 0: its gradient would be NaN for every series, even where nobody looks at the mean.
  return (sums / counts.clamp_min(1)).masked_fill(counts == 0, std::numeric_limits<double>::quiet_NaN());
}

at::Tensor class_means(const at::Tensor& aligned, const at::Tensor& labels, std::int64_t classes, const Group& group) {
  ClassSums sums(classes);
  sums.add(aligned, labels);
  return sums.means(group);
}

at::Tensor squared_distances(const at::Tensor& aligned, const at::Tensor& centroids) {
  if (fused::applies_to_series(aligned) && fused::applies_to_series(centroids)) {
    return fused::squared_distances(aligned, centroids);
  }
  const Present series = present(aligned);
  const Present means = present(centroids.detach());
  const at::Tensor series_weights = ones_where_undefined(series.weights, series.values);
  const at::Tensor mean_weights = ones_where_undefined(means.weights, means.values);
  const at::Tensor squares =
      series.values.square().matmul(mean_weights.t()) + series_weights.matmul(means.values.square().t());
  const at::Tensor sums = (squares - 2.0 * series.values.matmul(means.values.t())).clamp_min(0.0);
  const at::Tensor shared = series_weights.matmul(mean_weights.t());
  return at::where(shared > 0, sums / shared.clamp_min(1.0),
                   at::full({}, std::numeric_limits<double>::infinity(), sums.options()));
}

at::Tensor within_class_variance(const at::Tensor& aligned, const at::Tensor& labels, std::int64_t classes,
                                 const Group& group) {
  if (fused::applies_to(aligned)) {
    const at::Tensor totals = fused::class_totals(aligned.detach(), labels, classes);
    group.sum_in_place(totals);
    if (totals.sum().isfinite().item<bool>()) {  // nothing was missing, in no process
      return fused::within_class_variance(aligned, labels, totals);
    }
  }
  const at::Tensor means = class_means(aligned, labels, classes, group);
  return mean_over_classes(mean_squared_difference(aligned, means.index_select(0, labels)),
                           memberships(labels, classes, aligned.options()), group);
}

at::Tensor within_class_slope_variance(const TemporalTransformer& transformer, const at::Tensor& slopes,
                                       const std::vector<at::Tensor>& velocities, const at::Tensor& labels,
                                       std::int64_t classes, double time, const Group& group) {
  const at::Tensor grid = transformer.grid(transformer.length());
  const at::Tensor roots = (0.5 * transformer.log_slopes(velocities, grid, time)).exp();
  const at::Tensor read = sample(slopes, transformer.positions(velocities, grid, time));
  const at::Tensor missing = read.isnan();
  // Where a NaN was, the gradient must be zero and not NaN.
  const at::Tensor warped = read.masked_fill(missing, 0.0) * roots.unsqueeze(1);
  return within_class_variance(warped.masked_fill(missing, std::numeric_limits<double>::quiet_NaN()), labels, classes,
                               group);
}

at::Tensor centroid_cross_entropy(const at::Tensor& distances, const at::Tensor& labels,
                                  const at::Tensor& own_class_counts, const at::Tensor& log_sharpness) {
  check_device(distances);
  return fused::centroid_cross_entropy(distances, labels, own_class_counts, log_sharpness);
}

at::Tensor inverse_consistency(const TemporalTransformer& transformer, const at::Tensor& series,
                               const Transformed& transformed, const at::Tensor& labels, std::int64_t classes,
                               double time, const Group& group) {
  const at::Tensor means = class_means(transformed.aligned, labels, classes, group).index_select(0, labels);
  const at::Tensor back =
      transformer.inverse(means, transformed.velocities, series.size(2), time, lengths_without_padding(series));
  return mean_over_classes(mean_squared_difference(series, back), memberships(labels, classes, series.options()),
                           group);
}

at::Tensor recognition_loss(const std::vector<at::Tensor>& evidence, const at::Tensor& labels) {
  at::Tensor sum = at::zeros({}, evidence.front().options());
  for (const at::Tensor& layer : evidence) {
    sum = sum + at::cross_entropy_loss(layer, labels, {}, at::Reduction::Sum);
  }
  return sum / static_cast<double>(std::max<std::int64_t>(1, labels.size(0)));  // a process may have none of a batch
}

at::Tensor prior_penalty(const std::vector<at::Tensor>& thetas, const at::Tensor& precision) {
  at::Tensor sum;
  for (const at::Tensor& theta : thetas) {
    check_device(theta);
    const at::Tensor penalty = fused::prior_penalty(theta, precision);
    sum = sum.defined() ? sum + penalty : penalty;
  }
  return sum.defined() ? sum : at::zeros({}, precision.options());
}

}  // namespace diffeo
