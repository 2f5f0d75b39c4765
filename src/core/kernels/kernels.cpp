// All kernels, for one instruction set. Compiled once per entry of the list in CMakeLists.txt.
#include "core/kernels/row_kernels.hpp"

namespace diffeo::kernels::DIFFEO_TARGET {
namespace {

#define DIFFEO_STRING_OF(name) #name
#define DIFFEO_STRING(name) DIFFEO_STRING_OF(name)

template <class Real>
constexpr KernelSet<Real> kKernels = {
    [](const Real* points, std::size_t count) noexcept { return check_points(points, count); },
    [](PointTable<Real>& table, const Real* velocities, double time, bool derivatives) noexcept {
      build_table(table, velocities, time, derivatives);
    },
    [](const PointTable<Real>& table, const Workspace<Real>& workspace, const Real* points, std::size_t count,
       bool sorted) noexcept { return order_points(table, workspace, points, count, sorted); },
    [](const PointTable<Real>& table, const OrderedPoints<Real>& ordered, Block<Real>& block,
       Real* positions) noexcept { flow_row(table, ordered, block, positions); },
    [](const PointTable<Real>& table, const OrderedPoints<Real>& ordered, Block<Real>& block, const Real* cotangents,
       Real* point_gradient, GradientSums& sums) noexcept {
      if (point_gradient != nullptr) {
        flow_vjp_row<true>(table, ordered, block, cotangents, point_gradient, sums);
      } else {
        flow_vjp_row<false>(table, ordered, block, cotangents, point_gradient, sums);
      }
    },
    DIFFEO_STRING(DIFFEO_TARGET),
};

}  // namespace

// Declared, and chosen among, in dispatch.cpp.
extern const KernelSet<float> float_kernels;
extern const KernelSet<double> double_kernels;
const KernelSet<float> float_kernels = kKernels<float>;
const KernelSet<double> double_kernels = kKernels<double>;

}  // namespace diffeo::kernels::DIFFEO_TARGET
