// All kernels, for one instruction set. Compiled once per entry of the list in CMakeLists.txt.
#include "core/kernels/jacobian_rows.hpp"
#include "core/kernels/row_kernels.hpp"

namespace diffeo::kernels::DIFFEO_TARGET {
namespace {

#define DIFFEO_STRING_OF(name) #name
#define DIFFEO_STRING(name) DIFFEO_STRING_OF(name)

template <class Quantity, class Real>
constexpr PointKernels<Real> kPointKernels = {
    [](const PointTable<Real>& table, const OrderedPoints<Real>& ordered, Block<Real>& block, Real* values) noexcept {
      value_row<Quantity>(table, ordered, block, values);
    },
    [](const PointTable<Real>& table, const OrderedPoints<Real>& ordered, Block<Real>& block, const Real* cotangents,
       Real* point_gradient, GradientSums& sums) noexcept {
      if (point_gradient != nullptr) {
        vjp_row<Quantity, true>(table, ordered, block, cotangents, point_gradient, sums);
      } else {
        vjp_row<Quantity, false>(table, ordered, block, cotangents, point_gradient, sums);
      }
    },
    [](const PointTable<Real>& table, const OrderedPoints<Real>& ordered, Block<Real>& block,
       JacobianRows<Real>& jacobian) noexcept { fill_jacobian<Quantity>(table, ordered, block, jacobian); },
};

template <class Real>
constexpr KernelSet<Real> kKernels = {
    [](const Real* points, std::size_t count) noexcept { return check_points(points, count); },
    [](PointTable<Real>& table, const Real* velocities, double time, bool derivatives) noexcept {
      build_table(table, velocities, time, derivatives);
    },
    [](const PointTable<Real>& table, const Workspace<Real>& workspace, const Real* points, std::size_t count,
       bool sorted) noexcept { return order_points(table, workspace, points, count, sorted); },
    kPointKernels<Positions, Real>,
    kPointKernels<LogSlopes, Real>,
    DIFFEO_STRING(DIFFEO_TARGET),
};

}  // namespace

// Declared, and chosen among, in dispatch.cpp.
extern const KernelSet<float> float_kernels;
extern const KernelSet<double> double_kernels;
const KernelSet<float> float_kernels = kKernels<float>;
const KernelSet<double> double_kernels = kKernels<double>;

}  // namespace diffeo::kernels::DIFFEO_TARGET
