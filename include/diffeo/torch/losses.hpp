// What training makes small: terms that say how well a batch is aligned, each differentiable.
//
//   aligned   (cases, channels, length) after the warp; NaN where a value is missing
//   labels    (cases), whole numbers below `classes`; all zero where there are no labels
//
// In all of them a series counts by the mean of its squared differences over the samples and channels present, so that
// neither length nor channels nor gaps change the scale.
//
//   within_class_variance   the paper has sum_k 1/N_k sum_i |aligned_i - mean_k|^2, which grows with the length and the
//                           number of classes, and shrinks when a batch has few of a class, because their own mean
//                           follows them. Here: the unbiased variance, n_k / (n_k - 1) times the mean over the class's
//                           cases in the batch, averaged over the classes with two cases or more. Its expectation is
//                           the same for any length, batch, class size and number of classes
//   centroid_cross_entropy  softmax over -exp(log_sharpness) |aligned - centroid_k|^2 against the labels. The centroids
//                           are constants: means of the whole training set, from the start of the epoch. The series
//                           itself is part of its own centroid; `own_class_counts` takes it out again, which turns the
//                           squared distance d to the mean of n into that to the mean of the n - 1 others,
//                           d (n / (n - 1))^2. Without that, classes of few series look aligned when they are not
//   inverse_consistency     the class mean of the batch, brought back into each series' own time by the exact inverse,
//                           against the series as it came. Squeezing a feature out of sight gains nothing here, so it
//                           needs no prior; and series may have any length
//   within_class_slope_variance  the variance within classes of square-root slopes, warped: (q o phi) sqrt(phi'). Warping
//                           all series alike does not change it, so nothing is gained by squeezing, and a difference in
//                           height is forgiven more than one in time. For where heights vary
//   recognition_loss        cross-entropy of what the networks themselves take for evidence of a class before they warp
//                           (diffeo/torch/localization_net.hpp), summed over layers
//   prior_penalty           theta^T Sigma^{-1} theta / dimension, averaged over cases and summed over layers
//
// A batch may be shared out over processes (diffeo/torch/group.hpp). Then `aligned` and `labels` are what this process
// has of it, which may be nothing; class means are those of the whole batch, and a term is the share of these series:
// the shares of all processes add up to the term. Cross-entropy, recognition and prior are means over the cases given,
// and know no group.
//
//   * a batch that a term says nothing about (no class with two cases) gives zero
//   * float32 or float64; gradients flow into every tensor argument but labels, centroids and counts
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "diffeo/torch/group.hpp"
#include "diffeo/torch/temporal_transformer.hpp"

namespace diffeo {

/// (classes, channels, length): means of the values present; NaN where a class has none.
[[nodiscard]] at::Tensor class_means(const at::Tensor& aligned, const at::Tensor& labels, std::int64_t classes,
                                     const Group& group = {});

/// The same over several batches, one after the other.
class ClassSums {
 public:
  explicit ClassSums(std::int64_t classes) : classes_(classes) {}
  void add(const at::Tensor& aligned, const at::Tensor& labels);
  [[nodiscard]] at::Tensor means(const Group& group = {}) const;

 private:
  std::int64_t classes_;
  at::Tensor sums_;    // (classes, channels, length)
  at::Tensor counts_;  // of the values present, in the same shape
};

/// (cases, classes): mean squared differences over the samples present in both; infinite where there are none.
[[nodiscard]] at::Tensor squared_distances(const at::Tensor& aligned, const at::Tensor& centroids);

[[nodiscard]] at::Tensor within_class_variance(const at::Tensor& aligned, const at::Tensor& labels,
                                               std::int64_t classes, const Group& group = {});

/// distances: of squared_distances; own_class_counts: (classes), how many series each centroid is the mean of, or
/// undefined where the series are not among them.
[[nodiscard]] at::Tensor centroid_cross_entropy(const at::Tensor& distances, const at::Tensor& labels,
                                                const at::Tensor& own_class_counts, const at::Tensor& log_sharpness);

/// series: (cases, channels, time) as they came; transformed: what the transformer made of them at `time`.
[[nodiscard]] at::Tensor inverse_consistency(const TemporalTransformer& transformer, const at::Tensor& series,
                                             const Transformed& transformed, const at::Tensor& labels,
                                             std::int64_t classes, double time = 1.0, const Group& group = {});

/// slopes: (cases, channels, anything), square-root slopes of the series from their first sample to their last.
[[nodiscard]] at::Tensor within_class_slope_variance(const TemporalTransformer& transformer, const at::Tensor& slopes,
                                                     const std::vector<at::Tensor>& velocities,
                                                     const at::Tensor& labels, std::int64_t classes, double time = 1.0,
                                                     const Group& group = {});

/// evidence: one per layer, (cases, classes).
[[nodiscard]] at::Tensor recognition_loss(const std::vector<at::Tensor>& evidence, const at::Tensor& labels);

/// precision: (dimension, dimension), Sigma^{-1}.
[[nodiscard]] at::Tensor prior_penalty(const std::vector<at::Tensor>& thetas, const at::Tensor& precision);

}  // namespace diffeo
