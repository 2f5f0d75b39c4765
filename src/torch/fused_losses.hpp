// The terms of the loss, each as one step of autograd with its gradient written out.
//
// On the CPU, and for complete series; losses.cpp has formulas for those with gaps. A formula of a dozen small tensor
// operations, which is what the tests compare with, spends most of its time on starting them.
//
//   * no second derivatives: asking for them is an error
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace diffeo::fused {

/// Whether these formulas may be used: float32 or float64 on the CPU.
[[nodiscard]] bool applies_to(const at::Tensor& tensor);
/// ... of series: nothing missing either.
[[nodiscard]] bool applies_to_series(const at::Tensor& series);

/// (classes, features + 1): the sums of each class's series, and in the last column how many they are. Not numbers
/// where a value is missing.
[[nodiscard]] at::Tensor class_totals(const at::Tensor& aligned, const at::Tensor& labels, std::int64_t classes);

/// within_class_variance of series that are among those of `totals`, which are all of them. With the residuals r_i =
/// aligned_i - mean, whose sum over a class is zero, the gradient is 2 r_i / features / (n - 1) / counted classes.
[[nodiscard]] at::Tensor within_class_variance(const at::Tensor& aligned, const at::Tensor& labels,
                                               const at::Tensor& totals);

/// squared_distances to centroids that are complete; the gradient by aligned_i is 2 / features sum_k g_ik (aligned_i -
/// centroid_k).
[[nodiscard]] at::Tensor squared_distances(const at::Tensor& aligned, const at::Tensor& centroids);

/// centroid_cross_entropy. With the logits l_k = -sharpness factor_k distance_k and p their softmax, the gradient by
/// l_k is (p_k - [k is the label]) / cases, and d l_k / d log sharpness is l_k. `counts` may be undefined.
[[nodiscard]] at::Tensor centroid_cross_entropy(const at::Tensor& distances, const at::Tensor& labels,
                                                const at::Tensor& counts, const at::Tensor& log_sharpness);

/// prior_penalty of one layer: the gradient of theta^T P theta is 2 P theta, P being symmetric.
[[nodiscard]] at::Tensor prior_penalty(const at::Tensor& theta, const at::Tensor& precision);

}  // namespace diffeo::fused
