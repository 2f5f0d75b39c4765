// The smoothness prior: which velocity fields are plausible before any data is seen.
//
// The affine coefficients vec(A) of the cells have a zero-mean normal distribution whose correlation decays
// with the distance between cells. They are projected onto the continuous fields:
//   Sigma_PA = variance (K (x) I_2 + kPriorJitter I),   K(c, e) = exp(-(m_c - m_e)^2 / (2 length_scale^2))
//   theta ~ N(0, Sigma),   Sigma = B^+ Sigma_PA (B^+)^T
// m are the midpoints of the cells as fractions of the domain; (x) is the Kronecker product, in the order of
// vec(A). For the orthonormal bases (qr, svd) Sigma is the paper's B^T Sigma_PA B. With B^+ it is the same
// distribution of velocity fields in every basis. A large variance means strong warps, a large length_scale
// smooth ones.
//
// K alone is singular to rounding, so the jitter bounds the precision: a rough field of unit length
// costs 1 / (variance kPriorJitter). It is part of the definition, not a numerical detail.
//
// All computations use the orthonormal coordinates q of the qr basis: vec(A) = Q q, q = C theta. There the
// covariance is Q^T Sigma_PA Q = F F^T, no worse conditioned than Sigma_PA (cells / kPriorJitter), and
//   precision   (F^{-1} C)^T (F^{-1} C)
//   penalty     |F^{-1} C theta|^2
//   samples     C^{-1} F z, with z standard normal
// so a penalty is never negative, and the same seed draws the same velocity fields in every basis. The
// relative error of a penalty is a few units of rounding times sqrt(cells / kPriorJitter) times the condition
// number of C (1 for qr).
//
//   * construction: O(cells^3) for one Cholesky factor; a penalty: O(cells^2)
//   * std::invalid_argument for a variance or length_scale that is not positive and finite, for more than
//     kMaximumDenseCells cells, for spans of the wrong length and non-finite theta
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "diffeo/matrix.hpp"
#include "diffeo/warp_space.hpp"

namespace diffeo {

/// Variance of the independent part of every affine coefficient, relative to the prior's variance.
inline constexpr double kPriorJitter = 1e-6;

class Prior {
 public:
  explicit Prior(const WarpSpace& space, double variance = 1e-3, double length_scale = 0.1);

  [[nodiscard]] const WarpSpace& space() const noexcept { return space_; }
  [[nodiscard]] double variance() const noexcept { return variance_; }
  [[nodiscard]] double length_scale() const noexcept { return length_scale_; }
  [[nodiscard]] std::size_t dimension() const noexcept { return space_.dimension(); }

  /// Sigma and its inverse: (d, d), exactly symmetric.
  [[nodiscard]] Matrix covariance() const;
  [[nodiscard]] Matrix precision() const;

  /// theta^T Sigma^{-1} theta.
  [[nodiscard]] double penalty(std::span<const double> theta) const;
  /// gradient = 2 Sigma^{-1} theta.
  void penalty_gradient(std::span<const double> theta, std::span<double> gradient) const;

  /// `count` draws of theta, one per row: (count, d).
  [[nodiscard]] Matrix sample(std::size_t count, std::uint64_t seed) const;

 private:
  struct Parts;

  WarpSpace space_;
  double variance_;
  double length_scale_;
  std::shared_ptr<const Parts> parts_;
};

}  // namespace diffeo
