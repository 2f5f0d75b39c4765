// The kernels that exist once per instruction set, as a table of functions; kernels_for() picks a table at run time.
//
// All of them are noexcept, allocate nothing and trust their arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/careful_point.hpp"
#include "core/kernels/field_table.hpp"

namespace diffeo::kernels {

/// Arrays read and written whole vectors at a time carry this many spare elements.
inline constexpr std::size_t kPadding = 48;

/// Points handled together; everything about them fits the first-level cache.
inline constexpr std::size_t kBlockPoints = 256;

/// Coefficients of a piece (see point_kernels.hpp).
inline constexpr std::size_t kBlockSlots = 14;
inline constexpr std::size_t kBlockSums = 5;

struct Segment {  // the points of one piece inside a block
  std::uint32_t piece;
  std::uint32_t first;
  std::uint32_t count;
};

template <class Real>
struct Block {
  alignas(64) Real coefficients[kBlockSlots][kBlockPoints + kPadding];  // per segment
  alignas(64) Real sums[kBlockSums][kBlockPoints + kPadding];           // per point, as all below
  alignas(64) Real points[kBlockPoints + kPadding];
  alignas(64) Real cotangents[kBlockPoints + kPadding];
  alignas(64) Real results[kBlockPoints + kPadding];
  alignas(64) std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t> segment_of[kBlockPoints + kPadding];
  Segment segments[kBlockPoints];
  std::size_t segment_count;
  std::size_t size;
};

/// Points in the order of their pieces.
template <class Real>
struct OrderedPoints {
  const Real* points;
  const std::uint32_t* original;  // where each came from; null when the points came in order
  const std::uint32_t* begin;     // per piece, and one past the end
};

template <class Real>
struct Workspace {
  std::uint32_t* begin;     // per piece, two more
  std::uint32_t* original;  // per point
  std::uint32_t* piece_of;  // per point
  Real* reordered;          // per point
};

/// Sums from which the gradient of one field is made; zero before the first point (docs/math.md, 4.3).
struct GradientSums {
  double* velocity;         // per vertex: what source and landing cells contribute
  double* whole;            // per cell: difference array of what crosses the whole cell ...
  double* whole_remainder;  // ... and what rounding took from it
  std::int64_t* crossers;   // per cell: difference array of how many cross
  double time;
};

/// Whether all of a row is finite, and whether it ascends.
struct PointCheck {
  bool finite;
  bool sorted;
};

/// Where a Jacobian goes: a row of derivatives by all vertices for every point.
template <class Real>
struct JacobianRows {
  Real* rows;                            // (points, vertices), zero before
  const CrossingSensitivity* crossings;  // per cell that somebody crosses
  GradientSums sums;                     // of one point: zero before the first, and after the last
};

/// What is computed of a flow at points.
enum class Quantity {
  kPosition,
  kLogSlope,
};

/// Values of a quantity, their vector-Jacobian product and their Jacobian.
template <class Real>
struct PointKernels {
  void (*value)(const PointTable<Real>& table, const OrderedPoints<Real>& ordered, Block<Real>& block,
                Real* values) noexcept;
  /// `point_gradient` may be null.
  void (*vjp)(const PointTable<Real>& table, const OrderedPoints<Real>& ordered, Block<Real>& block,
              const Real* cotangents, Real* point_gradient, GradientSums& sums) noexcept;
  void (*jacobian)(const PointTable<Real>& table, const OrderedPoints<Real>& ordered, Block<Real>& block,
                   JacobianRows<Real>& jacobian) noexcept;
};

template <class Real>
struct KernelSet {
  PointCheck (*check_points)(const Real* points, std::size_t count) noexcept;
  /// `derivatives`: fill what only derivatives need, too.
  void (*build)(PointTable<Real>& table, const Real* velocities, double time, bool derivatives) noexcept;
  /// Sorts points into pieces; `sorted` says they ascend already.
  OrderedPoints<Real> (*order)(const PointTable<Real>& table, const Workspace<Real>& workspace, const Real* points,
                               std::size_t count, bool sorted) noexcept;
  PointKernels<Real> position;
  PointKernels<Real> log_slope;
  const char* name;

  [[nodiscard]] const PointKernels<Real>& of(Quantity quantity) const noexcept {
    return quantity == Quantity::kPosition ? position : log_slope;
  }
};

/// The best kernels this machine can run. `DIFFEO_INSTRUCTION_SET` in the environment (baseline, avx2, avx512) may name
/// a lesser one, for tests and comparisons.
template <class Real>
[[nodiscard]] const KernelSet<Real>& best_kernels();

}  // namespace diffeo::kernels
