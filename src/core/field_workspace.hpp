// The memory that one thread needs to evaluate fields of one size, allocated before the work starts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/kernels/kernel_set.hpp"
#include "core/vertex_grid.hpp"
#include "diffeo/flow.hpp"

namespace diffeo {

/// Points of one field that are put in order together: bounds the memory for points whatever their number.
inline constexpr std::size_t kChunkPoints = 65536;

using kernels::Quantity;

template <class Real>
class FieldWorkspace {
 public:
  FieldWorkspace(const kernels::Grid& grid, std::size_t points);

  /// The table of this field at this time; valid until the next call.
  const kernels::FieldTable& build(std::span<const Real> velocities, double time, bool derivatives) noexcept {
    kernels_.build(table_, velocities.data(), time, derivatives);
    return table_;
  }
  [[nodiscard]] const kernels::FieldTable& table() const noexcept { return table_; }

  /// A quantity at points, any number of them.
  void values(Quantity quantity, std::span<const Real> points, bool sorted, Real* values) noexcept;

  /// Adds to the sums; `point_gradient` may be null.
  void add_vjp(Quantity quantity, std::span<const Real> points, bool sorted, const Real* cotangents,
               Real* point_gradient) noexcept;

  /// The Jacobian of a quantity by the velocities: (points, vertices).
  void jacobian(Quantity quantity, std::span<const Real> points, bool sorted,
                std::span<const CrossingSensitivity> crossings, Real* rows) noexcept;

  void clear_sums() noexcept;
  [[nodiscard]] double time_gradient() const noexcept { return table_.sign * sums_.time; }
  /// The gradient by the velocities from the sums; ends their use.
  void velocity_gradient(Real* gradient) noexcept;

 private:
  /// Space for `count` numbers plus padding, for each of the pointers: one allocation, as short rows feel every one.
  template <class T, std::size_t kRows>
  static void allocate(std::vector<T>& owner, std::size_t count, T** const (&rows)[kRows]) {
    const std::size_t stride = count + kernels::kPadding;
    owner.assign(kRows * stride, T{});
    for (std::size_t row = 0; row < kRows; ++row) *rows[row] = owner.data() + row * stride;
  }

  const kernels::KernelSet<Real>& kernels_;
  kernels::PointTable<Real> table_ = {};
  kernels::Workspace<Real> workspace_ = {};
  kernels::GradientSums sums_ = {};
  std::unique_ptr<kernels::Block<Real>> block_;
  std::vector<double> numbers_;
  std::vector<std::int64_t> crossers_;
  std::vector<std::int32_t> preimage_cells_;
  std::vector<kernels::Piece> pieces_;
  std::vector<std::uint32_t> piece_begins_;
  std::vector<std::uint32_t> indices_;
  std::vector<Real> reordered_;
  std::vector<Real> rounded_;
};

}  // namespace diffeo
