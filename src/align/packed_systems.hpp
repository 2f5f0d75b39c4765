// Up to eight small linear systems A x = b, one for each of neighboring cases, which are solved side by side.
//
// A is symmetric and positive definite; only its lower triangle is read. A lane that no case needs holds the identity.
// Where A is not positive definite, results are NaN, of its lane alone. (align/kernels/lane_systems.hpp)
#pragma once

#include <cstddef>
#include <vector>

#include "align/kernels/kernel_set.hpp"

namespace diffeo {

class PackedSystems {
 public:
  static constexpr std::size_t kLanes = kernels::kPackSize;
  /// Packs for that many cases: case i has lane i % kLanes of pack i / kLanes.
  [[nodiscard]] static constexpr std::size_t packs(std::size_t cases) noexcept { return (cases + kLanes - 1) / kLanes; }

  explicit PackedSystems(std::size_t size)
      : size_(size), matrices_(kernels::triangle(size) * kLanes), vectors_(size * kLanes), products_(size * kLanes) {
    for (std::size_t row = 0; row < size; ++row) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) matrix(lane, row, row) = 1.0;
    }
  }

  /// Entries of A, or of what factor() and invert() put in its place; column <= row.
  [[nodiscard]] double& matrix(std::size_t lane, std::size_t row, std::size_t column) noexcept {
    return matrices_[(kernels::triangle(row) + column) * kLanes + lane];
  }
  [[nodiscard]] double& vector(std::size_t lane, std::size_t row) noexcept { return vectors_[row * kLanes + lane]; }

  /// What multiply() found.
  [[nodiscard]] double product(std::size_t lane, std::size_t row) const noexcept {
    return products_[row * kLanes + lane];
  }

  void factor() noexcept { kernels_.factor(view()); }
  /// Of what was factored, A = L L^T: log det A by lane, L^{-1} b in place of b, and A^{-1} in place of L.
  void log_determinants(double (&logs)[kLanes]) noexcept { kernels_.log_determinants(view(), logs); }
  void solve_lower() noexcept { kernels_.solve_lower(view()); }
  void invert() noexcept { kernels_.invert(view()); }
  /// The matrix as it is, A or its inverse, times b.
  void multiply() noexcept { kernels_.multiply(view(), products_.data()); }

 private:
  [[nodiscard]] kernels::SystemPack view() noexcept { return {size_, matrices_.data(), vectors_.data()}; }

  const kernels::AlignKernels& kernels_ = kernels::align_kernels();
  std::size_t size_;
  std::vector<double> matrices_;
  std::vector<double> vectors_;
  std::vector<double> products_;
};

}  // namespace diffeo
