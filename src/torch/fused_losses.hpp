// The two terms of the loss that look at every sample, each as one step of autograd with its gradient written out.
//
// For complete series on the CPU. The general formulas in losses.cpp, of a dozen small tensor operations each, are what
// these are tested against; there most of the time goes into starting operations, not into arithmetic.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace diffeo::fused {

/// Whether these formulas may be used: float32 or float64 on the CPU, nothing missing.
[[nodiscard]] bool applies_to(const at::Tensor& aligned);

/// within_class_variance. With the residuals r_i = aligned_i - mean, whose sum over a class is zero, the gradient is
/// 2 r_i / features / (n - 1) / counted classes.
[[nodiscard]] at::Tensor within_class_variance(const at::Tensor& aligned, const at::Tensor& labels,
                                               std::int64_t classes);

/// squared_distances to centroids that are complete; the gradient by aligned_i is 2 / features sum_k g_ik (aligned_i -
/// centroid_k).
[[nodiscard]] at::Tensor squared_distances(const at::Tensor& aligned, const at::Tensor& centroids);

}  // namespace diffeo::fused
