#include "core/field_workspace.hpp"

#include "core/careful_point.hpp"
#include "core/velocity_gradient.hpp"

namespace diffeo {

template <class Real>
FieldWorkspace<Real>::FieldWorkspace(const kernels::Grid& grid, std::size_t points)
    : kernels_(kernels::best_kernels<Real>()),
      // Fifty kilobytes that are written before they are read: to clear them would take longer than a short row.
      block_(std::make_unique_for_overwrite<kernels::Block<Real>>()) {
  const std::size_t vertices = grid.cells + 1;
  const std::size_t chunk = std::min(points, kChunkPoints);
  table_.grid = grid;
  allocate(numbers_, vertices,
           {&table_.velocity, &table_.slope, &table_.crossing, &table_.moment, &table_.growth, &table_.gain,
            &table_.gain_slope, &table_.clock, &table_.scratch, &table_.more_scratch, &table_.preimage,
            &table_.clock_remainder, &sums_.velocity, &sums_.whole, &sums_.whole_remainder, &table_.inverse_slope,
            &table_.care});
  allocate(rounded_, vertices,
           {&table_.vertex, &table_.position, &table_.speed, &table_.rate, &table_.inverse_rate, &table_.stay_gain,
            &table_.stay_growth});
  for (std::size_t j = 0; j < vertices; ++j) {
    table_.vertex[j] = static_cast<Real>(grid.vertices[j]);
    table_.position[j] = static_cast<Real>(grid.origin + grid.vertices[j]);
  }
  allocate(preimage_cells_, vertices, {&table_.preimage_cell});
  allocate(pieces_, 2 * grid.cells + 4, {&table_.pieces});
  allocate(crossers_, vertices, {&sums_.crossers});
  allocate(piece_begins_, 2 * grid.cells + 6, {&workspace_.begin});
  allocate(indices_, chunk, {&workspace_.original, &workspace_.piece_of});
  allocate(reordered_, chunk, {&workspace_.reordered});
}

template <class Real>
void FieldWorkspace<Real>::values(Quantity quantity, std::span<const Real> points, bool sorted, Real* values) noexcept {
  const kernels::PointKernels<Real>& of_points = kernels_.of(quantity);
  for (std::size_t first = 0; first < points.size(); first += kChunkPoints) {
    const std::size_t count = std::min(kChunkPoints, points.size() - first);
    const auto ordered = kernels_.order(table_, workspace_, points.data() + first, count, sorted);
    of_points.value(table_, ordered, *block_, values + first);
  }
}

template <class Real>
void FieldWorkspace<Real>::add_vjp(Quantity quantity, std::span<const Real> points, bool sorted, const Real* cotangents,
                                   Real* point_gradient) noexcept {
  const kernels::PointKernels<Real>& of_points = kernels_.of(quantity);
  for (std::size_t first = 0; first < points.size(); first += kChunkPoints) {
    const std::size_t count = std::min(kChunkPoints, points.size() - first);
    const auto ordered = kernels_.order(table_, workspace_, points.data() + first, count, sorted);
    of_points.vjp(table_, ordered, *block_, cotangents + first,
                  point_gradient == nullptr ? nullptr : point_gradient + first, sums_);
  }
}

template <class Real>
void FieldWorkspace<Real>::jacobian(Quantity quantity, std::span<const Real> points, bool sorted,
                                    std::span<const CrossingSensitivity> crossings, Real* rows) noexcept {
  clear_sums();
  std::fill_n(rows, points.size() * (table_.grid.cells + 1), Real{0});
  for (std::size_t first = 0; first < points.size(); first += kChunkPoints) {
    const std::size_t count = std::min(kChunkPoints, points.size() - first);
    const auto ordered = kernels_.order(table_, workspace_, points.data() + first, count, sorted);
    kernels::JacobianRows<Real> chunk{rows + first * (table_.grid.cells + 1), crossings.data(), sums_};
    kernels_.of(quantity).jacobian(table_, ordered, *block_, chunk);
  }
}

template <class Real>
void FieldWorkspace<Real>::clear_sums() noexcept {
  const std::size_t vertices = table_.grid.cells + 1;
  std::fill_n(sums_.velocity, vertices, 0.0);
  std::fill_n(sums_.whole, vertices, 0.0);
  std::fill_n(sums_.whole_remainder, vertices, 0.0);
  std::fill_n(sums_.crossers, vertices, std::int64_t{0});
  sums_.time = 0;
}

template <class Real>
void FieldWorkspace<Real>::velocity_gradient(Real* gradient) noexcept {
  add_crossed_cells(table_.grid.cells, sums_, [&](std::size_t cell) { return crossing_sensitivity(table_, cell); });
  for (std::size_t j = 0; j <= table_.grid.cells; ++j) {
    gradient[j] = static_cast<Real>(table_.sign * sums_.velocity[j]);
  }
}

template class FieldWorkspace<float>;
template class FieldWorkspace<double>;

}  // namespace diffeo
