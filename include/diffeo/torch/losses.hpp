// The terms of the training loss. Each measures how well a batch is aligned and is differentiable.
//
//   aligned   (cases, channels, length) after the warp; NaN where a value is missing
//   labels    (cases), integers below `classes`; all zero without labels
//
// In all of them a series counts by the mean of its squared differences over the present samples and channels, so
// length, channels and gaps do not change the scale.
//
//   within_class_variance   the paper has sum_k 1/N_k sum_i |aligned_i - mean_k|^2, which grows with the length and the
//                           number of classes, and shrinks if a batch has few cases of a class, because they determine
//                           their own mean. Here: the unbiased variance, n_k / (n_k - 1) times the mean over the
//                           class's cases in the batch, averaged over the classes with at least two cases. Its
//                           expectation is the same for any length, batch, class size and number of classes
//   centroid_cross_entropy  softmax over -exp(log_sharpness) |aligned - centroid_k|^2 against the labels. The centroids
//                           are constants: means of the whole training set, from the start of the epoch. They include
//                           the series itself; `own_class_counts` removes it, which turns the
//                           squared distance d to the mean of n into that to the mean of the n - 1 others,
//                           d (n / (n - 1))^2. Otherwise, small classes look aligned when they are not
//   inverse_consistency     the class mean of the batch, brought back into each series' own time by the exact inverse,
//                           minus the raw series. Squeezing features away gains nothing, so it
//                           needs no prior. Series may have any length
//   within_class_slope_variance  the variance within classes of square-root slopes, warped: (q o phi) sqrt(phi').
//                           Warping all series alike does not change it, so squeezing gains nothing. A difference in
//                           height costs less than one in time. Use it if heights vary
//   recognition_loss        cross-entropy of the networks' class logits before the warp
//                           (diffeo/torch/localization_net.hpp), summed over layers
//   prior_penalty           theta^T Sigma^{-1} theta / dimension, averaged over cases and summed over layers
//
// Processes may share a batch (diffeo/torch/group.hpp). Then `aligned` and `labels` are this process's part of it,
// which may be empty. Class means are those of the whole batch, and a term is the share of these series:
// the shares of all processes add up to the term. Cross-entropy, recognition and prior are means over the given cases
// and do not use the group.
//
//   * a term that does not apply to a batch (no class with two cases) is zero
//   * float32 or float64; gradients flow into every tensor argument except labels, centroids and counts
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "diffeo/torch/group.hpp"
#include "diffeo/torch/temporal_transformer.hpp"

namespace diffeo {

/// (classes, channels, length): means of the present values; NaN if a class has none.
[[nodiscard]] at::Tensor class_means(const at::Tensor& aligned, const at::Tensor& labels, std::int64_t classes,
                                     const Group& group = {});

/// The same over several batches in turn.
class ClassSums {
 public:
  explicit ClassSums(std::int64_t classes) : classes_(classes) {}
  void add(const at::Tensor& aligned, const at::Tensor& labels);
  [[nodiscard]] at::Tensor means(const Group& group = {}) const;

 private:
  std::int64_t classes_;
  at::Tensor sums_;    // (classes, channels, length)
  at::Tensor counts_;  // number of present values, in the same shape
};

/// (cases, classes): mean squared differences over the samples present in both; infinite if there are none.
[[nodiscard]] at::Tensor squared_distances(const at::Tensor& aligned, const at::Tensor& centroids);

[[nodiscard]] at::Tensor within_class_variance(const at::Tensor& aligned, const at::Tensor& labels,
                                               std::int64_t classes, const Group& group = {});

/// distances: from squared_distances; own_class_counts: (classes), how many series each centroid averages, or
/// undefined if the series are not among them.
[[nodiscard]] at::Tensor centroid_cross_entropy(const at::Tensor& distances, const at::Tensor& labels,
                                                const at::Tensor& own_class_counts, const at::Tensor& log_sharpness);

/// series: (cases, channels, time), unwarped; transformed: the transformer's output for them at `time`.
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
