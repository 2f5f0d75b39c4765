// Which kernels warps and samples of series are made of, and their vector-Jacobian products (drive_flow.hpp).
//
// A warp's product goes through its positions: they are flowed into memory, and from the cotangents of the series come
// gradients by the series, node by node, and by the positions, which the product of the flow takes on.
#pragma once

#include <cstddef>

#include "core/sample_clock.hpp"
#include "cuda/drive_flow.hpp"
#include "cuda/sample_kernels.hpp"
#include "diffeo/sample.hpp"
#include "diffeo/warp.hpp"

namespace diffeo::cuda {

/// The cases of a pass.
template <class T>
[[nodiscard]] SeriesBlock<T> block_of(const Series<T>& series, std::size_t first) {
  return {series.data + first * series.channels * series.time, series.channels, series.time};
}

template <class Real>
void require_series_shape(const char* name, const Series<const Real>& series, const Series<const Real>& like,
                          std::size_t length) {
  require(series.cases == like.cases && series.channels == like.channels && series.time == length, name,
          ": expected shape (", like.cases, ", ", like.channels, ", ", length, "), got (", series.cases, ", ",
          series.channels, ", ", series.time, ")");
}

template <class Real>
void require_warp_shapes(const WarpProblem<Real>& problem, std::size_t length) {
  require(problem.series.time >= 1, "series: expected at least 1 time step, got 0");
  require(length >= 1, "length: expected at least 1, got 0");
  require_field_shapes(problem.velocities, problem.times, problem.series.cases);
  require_row_per_item("velocities", problem.velocities, problem.series.cases);
}

template <class Real>
void require_gradient_shapes(const WarpProblem<Real>& problem, const WarpGradients<Real>& gradients) {
  const Rows<const Real>& velocities = problem.velocities;
  if (!gradients.series.empty()) {
    require_series_shape<Real>("gradient of series", gradients.series, problem.series, problem.series.time);
  }
  if (!gradients.velocities.empty()) {
    require_shape("gradient of velocities", gradients.velocities, velocities.rows, velocities.columns);
  }
  require(gradients.times.empty() || gradients.times.size() == problem.times.size(), "gradient of times: expected ",
          problem.times.size(), " values, got ", gradients.times.size());
}

/// Fields in units of samples.
template <class Real>
[[nodiscard]] FieldBatch<Real> fields_of(const WarpProblem<Real>& problem) {
  const double last = last_sample(problem.series.time);
  return {Tessellation(problem.velocities.columns - 1, 0.0, last), field_rows(problem.velocities),
          field_rows(problem.times), last, problem.series.cases};
}

template <class Machine, class Real>
void drive_warp(const Machine& machine, const WarpProblem<Real>& problem, Series<Real> warped, Arena arena,
                const Budget& budget = {}) {
  require_warp_shapes(problem, warped.time);
  require_series_shape<Real>("warped", warped, problem.series, warped.time);
  const FieldBatch<Real> batch = fields_of(problem);
  FlowSpace<Real> space(arena, batch.tessellation.cells(), batch.count, budget);
  lay_out_grid(machine, batch, space.tables);
  for_each_pass(batch.count, space.per_pass, [&](std::size_t first, std::size_t count) {
    machine.run(BuildTables<Real, false>{space.tables, batch.velocities, batch.times, batch.scale, first, count},
                count);
    const WarpSeries<Real> kernel{space.tables,
                                  batch.times,
                                  SamplePoints<Real>(batch.scale, warped.time),
                                  block_of(problem.series, first),
                                  first,
                                  count,
                                  block_of(warped, first)};
    machine.run(kernel, kernel.blocks());
  });
}

template <class Real>
[[nodiscard]] std::size_t warp_bytes(const WarpProblem<Real>& problem, const Budget& budget = {}) {
  require_warp_shapes(problem, 1);
  Arena arena;
  (void)FlowSpace<Real>(arena, problem.velocities.columns - 1, problem.series.cases, budget);
  return arena.used();
}

/// Memory of a warp's vector-Jacobian product, for so many cases in a pass.
template <class Real>
struct WarpProductSpace {
  ProductSpace<Real> products;
  Real* positions;   // (cases, length)
  Real* cotangents;  // (cases, length), of the positions
  NodeRanges ranges;

  WarpProductSpace(Arena& arena, std::size_t cells, std::size_t length, SharedArguments shared, std::size_t batch,
                   std::size_t cases)
      : products(arena, cells, length, shared, batch, cases),
        positions(arena.take<Real>(cases * length)),
        cotangents(arena.take<Real>(cases * length)),
        ranges(arena, length, cases) {}

  [[nodiscard]] static std::size_t per_pass(std::size_t cells, std::size_t length, SharedArguments shared,
                                            std::size_t batch, const Budget& budget) {
    return items_per_pass(budget, batch, [&](Arena& counted, std::size_t cases) {
      (void)WarpProductSpace(counted, cells, length, shared, 0, cases);
    });
  }
};

/// Gradients by the series of a pass, from those by what was read of them.
template <class Machine, class Real>
void drive_series_gradient(const Machine& machine, const SeriesBlock<const Real>& series,
                           const SamplePositions<Real>& positions, const SeriesBlock<const Real>& cotangents,
                           std::size_t count, const NodeRanges& ranges, const SeriesBlock<Real>& by_series) {
  machine.run(FindNodeRanges<Real>{positions, series.time, count, ranges}, count);
  const PullBackSeries<Real> kernel{series, positions, cotangents, count, ranges, by_series};
  machine.run(kernel, kernel.blocks());
}

template <class Machine, class Real>
void drive_warp_vjp(const Machine& machine, const WarpProblem<Real>& problem, Series<const Real> cotangents,
                    const WarpGradients<Real>& gradients, Arena arena, const Budget& budget = {}) {
  require_warp_shapes(problem, cotangents.time);
  require_series_shape<Real>("cotangents", cotangents, problem.series, cotangents.time);
  require_gradient_shapes(problem, gradients);
  const FieldBatch<Real> batch = fields_of(problem);
  const std::size_t cells = batch.tessellation.cells(), length = cotangents.time;
  const ProductResults<Real> results{gradients.velocities, {}, gradients.times};
  const SharedArguments shared = results.shared(batch.count);
  const std::size_t per_pass = WarpProductSpace<Real>::per_pass(cells, length, shared, batch.count, budget);
  WarpProductSpace<Real> space(arena, cells, length, shared, batch.count, per_pass);
  const PointSource<Real> points(SamplePoints<Real>(batch.scale, length), length);
  lay_out_grid(machine, batch, space.products.tables);
  space.products.velocities.clear(machine);
  for_each_pass(batch.count, per_pass, [&](std::size_t first, std::size_t count) {
    machine.run(
        BuildTables<Real, true>{space.products.tables, batch.velocities, batch.times, batch.scale, first, count},
        count);
    const FlowPoints<Real> flow{space.products.tables, batch.times, points, first, count, space.positions};
    machine.run(flow, flow.blocks());
    const SeriesBlock<const Real> series = block_of(problem.series, first), weights = block_of(cotangents, first);
    const SamplePositions<Real> positions{{space.positions, length}, Real(1), length};
    if (!gradients.series.empty()) {
      drive_series_gradient(machine, series, positions, weights, count, space.ranges,
                            block_of(gradients.series, first));
    }
    if (results.velocities.empty() && results.times.empty()) return;
    const PullBackPositions<Real> back{series, positions, weights, count, 1.0, {space.cotangents, nullptr}};
    machine.run(back, back.blocks());
    drive_products<math::Positions, Machine, Real>(machine, batch, space.products, points, space.cotangents, results,
                                                   first, count);
  });
  finish_products(machine, space.products, results, batch.count);
}

template <class Real>
[[nodiscard]] std::size_t warp_vjp_bytes(const WarpProblem<Real>& problem, std::size_t length,
                                         const WarpGradients<Real>& gradients, const Budget& budget = {}) {
  require_warp_shapes(problem, length);
  const std::size_t cells = problem.velocities.columns - 1, cases = problem.series.cases;
  const SharedArguments shared = ProductResults<Real>{gradients.velocities, {}, gradients.times}.shared(cases);
  Arena arena;
  (void)WarpProductSpace<Real>(arena, cells, length, shared, cases,
                               WarpProductSpace<Real>::per_pass(cells, length, shared, cases, budget));
  return arena.used();
}

template <class Real>
void require_sample_shapes(const SampleProblem<Real>& problem) {
  require(problem.series.time >= 1, "series: expected at least 1 time step, got 0");
  require_row_per_item("positions", problem.positions, problem.series.cases);
  require(problem.grid.empty(), "grid: expected none on a GPU");
}

template <class Real>
void require_gradient_shapes(const SampleProblem<Real>& problem, const SampleGradients<Real>& gradients) {
  require(gradients.grid.empty(), "gradient of grid: expected none on a GPU");
  if (!gradients.series.empty()) {
    require_series_shape<Real>("gradient of series", gradients.series, problem.series, problem.series.time);
  }
  if (!gradients.positions.empty()) {
    require_shape("gradient of positions", gradients.positions, problem.positions.rows, problem.positions.columns);
  }
}

/// Of the cases of a pass.
template <class Real>
[[nodiscard]] SamplePositions<Real> positions_of(const SampleProblem<Real>& problem, std::size_t first) {
  const FieldRows<Real> rows = field_rows(problem.positions);
  return {{rows.row(first), rows.stride}, static_cast<Real>(problem.series.time - 1), problem.positions.columns};
}

template <class Machine, class Real>
void drive_sample(const Machine& machine, const SampleProblem<Real>& problem, Series<Real> samples) {
  require_sample_shapes(problem);
  const Series<const Real>& series = problem.series;
  require_series_shape<Real>("samples", samples, series, problem.positions.columns);
  const ReadSeries<Real> kernel{block_of(series, 0), positions_of(problem, 0), series.cases, block_of(samples, 0)};
  machine.run(kernel, kernel.blocks());
}

/// Memory of a sample's vector-Jacobian product, for so many cases in a pass.
struct SampleProductSpace {
  BatchSum positions;
  NodeRanges ranges;

  SampleProductSpace(Arena& arena, std::size_t columns, bool shared, std::size_t cases)
      : positions(arena, shared, columns, cases), ranges(arena, columns, cases) {}

  [[nodiscard]] static std::size_t per_pass(std::size_t columns, bool shared, std::size_t batch, const Budget& budget) {
    return items_per_pass(budget, batch, [&](Arena& counted, std::size_t cases) {
      (void)SampleProductSpace(counted, columns, shared, cases);
    });
  }
};

template <class Real>
[[nodiscard]] bool sums_positions(const SampleProblem<Real>& problem, const SampleGradients<Real>& gradients) {
  return !gradients.positions.empty() && problem.positions.rows != problem.series.cases;
}

template <class Machine, class Real>
void drive_sample_vjp(const Machine& machine, const SampleProblem<Real>& problem, Series<const Real> cotangents,
                      const SampleGradients<Real>& gradients, Arena arena, const Budget& budget = {}) {
  require_sample_shapes(problem);
  const std::size_t cases = problem.series.cases, columns = problem.positions.columns;
  require_series_shape<Real>("cotangents", cotangents, problem.series, columns);
  require_gradient_shapes(problem, gradients);
  const bool shared = sums_positions(problem, gradients);
  const std::size_t per_pass = SampleProductSpace::per_pass(columns, shared, cases, budget);
  const SampleProductSpace space(arena, columns, shared, per_pass);
  space.positions.clear(machine);
  for_each_pass(cases, per_pass, [&](std::size_t first, std::size_t count) {
    const SeriesBlock<const Real> series = block_of(problem.series, first), weights = block_of(cotangents, first);
    const SamplePositions<Real> positions = positions_of(problem, first);
    if (!gradients.series.empty()) {
      drive_series_gradient(machine, series, positions, weights, count, space.ranges,
                            block_of(gradients.series, first));
    }
    if (gradients.positions.empty()) return;
    RowResult<Real> by_position{nullptr, space.positions.rows()};
    if (!shared) by_position.own = gradients.positions.data + first * columns;
    const double steps = static_cast<double>(series.time - 1);
    const PullBackPositions<Real> back{series, positions, weights, count, steps, by_position};
    machine.run(back, back.blocks());
    space.positions.add(machine, count);
  });
  if (shared) space.positions.finish(machine, gradients.positions.data);
}

template <class Real>
[[nodiscard]] std::size_t sample_vjp_bytes(const SampleProblem<Real>& problem, const SampleGradients<Real>& gradients,
                                           const Budget& budget = {}) {
  require_sample_shapes(problem);
  const std::size_t cases = problem.series.cases, columns = problem.positions.columns;
  const bool shared = sums_positions(problem, gradients);
  Arena arena;
  (void)SampleProductSpace(arena, columns, shared, SampleProductSpace::per_pass(columns, shared, cases, budget));
  return arena.used();
}

}  // namespace diffeo::cuda
