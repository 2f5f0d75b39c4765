#include "diffeo/velocity.hpp"

#include <span>

#include "core/affine_field.hpp"
#include "core/argument_checks.hpp"
#include "diffeo/tessellation.hpp"
#include "diffeo/threads.hpp"

namespace diffeo {
namespace {

constexpr double kNanosecondsPerPoint = 10;

/// A point that is a vertex rounded to Real counts as that vertex: in float few vertices are representable.
template <class Real>
Real velocity_at(const AffineField<Real>& field, Real point) noexcept {
  const double x = static_cast<double>(point);
  const std::size_t cell = field.table.cell(x);
  if (point == static_cast<Real>(field.table.vertex(cell))) return field.velocities[cell];
  if (point == static_cast<Real>(field.table.vertex(cell + 1))) return field.velocities[cell + 1];
  return static_cast<Real>(field.in_cell(cell, x).velocity);
}

}  // namespace

template <class Real>
void velocity(Rows<const Real> velocities, Rows<const Real> points, Domain domain, Rows<Real> values,
              std::size_t threads) {
  require_field_and_points(velocities, points);
  require_shape("values", values, velocities.rows, points.columns);
  const CellTable table(Tessellation(velocities.columns - 1, domain.lower, domain.upper));
  const double nanoseconds = kNanosecondsPerPoint * static_cast<double>(values.size());
  for_each_item(useful_threads(threads, values.rows, nanoseconds), values.rows, [&](std::size_t, std::size_t row) {
    const AffineField<Real> field{table, velocities.data + row * velocities.columns};
    const std::span<const Real> from = points.row(row);
    const std::span<Real> to = values.row(row);
    for (std::size_t j = 0; j < from.size(); ++j) to[j] = velocity_at(field, from[j]);
  });
}

template void velocity(Rows<const float>, Rows<const float>, Domain, Rows<float>, std::size_t);
template void velocity(Rows<const double>, Rows<const double>, Domain, Rows<double>, std::size_t);

}  // namespace diffeo
