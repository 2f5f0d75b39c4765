// Which kernels a flow and its vector-Jacobian product are made of, and in which memory, on any machine that runs them
// (host_executor.hpp, device_launcher.cuh).
#pragma once

#include <cstddef>

#include "core/argument_checks.hpp"
#include "cuda/arena.hpp"
#include "cuda/build_kernels.hpp"
#include "cuda/flow_kernels.hpp"
#include "cuda/product_kernels.hpp"
#include "cuda/sum_kernels.hpp"
#include "diffeo/error.hpp"
#include "diffeo/flow.hpp"
#include "diffeo/tessellation.hpp"

namespace diffeo::cuda {

template <class T>
[[nodiscard]] FieldRows<T> field_rows(Rows<const T> rows) {
  return {rows.data, rows.shared() ? 0 : rows.columns};
}
[[nodiscard]] inline FieldRows<double> field_rows(std::span<const double> times) {
  return {times.data(), times.size() == 1 ? std::size_t{0} : std::size_t{1}};
}

/// The fields of a call.
template <class Real>
struct FieldBatch {
  Tessellation tessellation;
  FieldRows<Real> velocities;
  FieldRows<double> times;
  double scale;  // of the velocities
  std::size_t count;

  explicit FieldBatch(const FlowProblem<Real>& problem)
      : tessellation(problem.velocities.columns - 1, problem.domain.lower, problem.domain.upper),
        velocities{problem.velocities.data, problem.velocities.columns},
        times(field_rows(problem.times)),
        scale(1.0),
        count(problem.batch()) {}
  FieldBatch(const Tessellation& domain, FieldRows<Real> rows, FieldRows<double> durations, double factor,
             std::size_t batch)
      : tessellation(domain), velocities(rows), times(durations), scale(factor), count(batch) {}
};

/// What is to be known without looking at values.
template <class Real>
void require_field_shapes(Rows<const Real> velocities, std::span<const double> times, std::size_t items) {
  require(velocities.columns >= 2, "velocities: expected at least 2 columns, one per vertex, got ", velocities.columns);
  require(times.size() == 1 || times.size() == items, "times: expected 1 or ", items, ", got ", times.size());
}

template <class Real>
void require_flow_shapes(const FlowProblem<Real>& problem) {
  require_field_shapes(problem.velocities, problem.times, problem.batch());
  require_row_per_item("points", problem.points, problem.batch());
}

template <class Machine, class Real>
void lay_out_grid(const Machine& machine, const FieldBatch<Real>& batch, FieldTables<Real>& tables) {
  const VertexRule<Real> rule(batch.tessellation);
  tables.grid = rule.grid(tables.vertices);
  const std::size_t vertices = tables.vertex_count();
  machine.run(LayOutGrid<Real>{rule, vertices, tables.vertices, tables.vertex, tables.position},
              tiles_of(vertices, LayOutGrid<Real>::kThreads));
}

/// A sum over the batch of rows that come in passes; nothing at all where it is not wanted.
class BatchSum {
 public:
  BatchSum(Arena& arena, bool wanted, std::size_t columns, std::size_t rows_per_pass)
      : columns_(wanted ? columns : 0),
        rows_(arena.take<double>(columns_ * rows_per_pass)),
        sum_(arena.take<double>(columns_)) {}

  /// Where the rows of a pass go.
  [[nodiscard]] double* rows() const noexcept { return columns_ == 0 ? nullptr : rows_; }

  template <class Machine>
  void clear(const Machine& machine) const {
    machine.run(AddRows{rows_, 0, columns_, sum_, true}, tiles_of(columns_, AddRows::kThreads));
  }
  template <class Machine>
  void add(const Machine& machine, std::size_t rows) const {
    machine.run(AddRows{rows_, rows, columns_, sum_, false}, tiles_of(columns_, AddRows::kThreads));
  }
  template <class Machine, class Real>
  void finish(const Machine& machine, Real* to) const {
    machine.run(NarrowRow<Real>{sum_, columns_, to}, tiles_of(columns_, NarrowRow<Real>::kThreads));
  }

 private:
  std::size_t columns_;
  double* rows_;
  double* sum_;
};

/// How many items a pass has, when the memory of so many is what Space(arena, items) takes.
template <class MakeSpace>
[[nodiscard]] std::size_t items_per_pass(const Budget& budget, std::size_t batch, const MakeSpace& make_space) {
  // Far more than one: what is common to all, and the gaps between arrays, do not count.
  constexpr std::size_t kMany = 1024;
  Arena none, many;
  make_space(none, 0);
  make_space(many, kMany);
  return budget.items((many.used() - none.used()) / kMany + 1, batch);
}

template <class Real>
struct FlowSpace {
  std::size_t per_pass;
  FieldTables<Real> tables;

  FlowSpace(Arena& arena, std::size_t cells, std::size_t batch, const Budget& budget)
      : per_pass(items_per_pass(
            budget, batch,
            [&](Arena& counted, std::size_t fields) { (void)FieldTables<Real>(counted, cells, fields); })),
        tables(arena, cells, per_pass) {}
};

/// Positions, or another quantity of the flow.
template <class Quantity = math::Positions, class Machine, class Real>
void drive_flow(const Machine& machine, const FlowProblem<Real>& problem, Rows<Real> values, Arena arena,
                const Budget& budget = {}) {
  require_flow_shapes(problem);
  const std::size_t points = problem.points.columns;
  require_shape("values", values, problem.batch(), points);
  const FieldBatch<Real> batch(problem);
  FlowSpace<Real> space(arena, batch.tessellation.cells(), batch.count, budget);
  if (batch.count == 0 || points == 0) return;
  lay_out_grid(machine, batch, space.tables);
  for_each_pass(batch.count, space.per_pass, [&](std::size_t first, std::size_t count) {
    machine.run(
        BuildTables<Real, false, Quantity>{space.tables, batch.velocities, batch.times, batch.scale, first, count},
        count);
    const FlowPoints<Real, Quantity> kernel{
        space.tables, batch.times, PointSource<Real>(field_rows(problem.points), points),
        first,        count,       values.data + first * points};
    machine.run(kernel, kernel.blocks());
  });
}

template <class Real>
[[nodiscard]] std::size_t flow_bytes(const FlowProblem<Real>& problem, const Budget& budget = {}) {
  require_flow_shapes(problem);
  Arena arena;
  (void)FlowSpace<Real>(arena, problem.velocities.columns - 1, problem.batch(), budget);
  return arena.used();
}

/// Which gradients are summed over the batch.
struct SharedArguments {
  bool velocities;
  bool points;
  bool time;
};

/// Memory of vector-Jacobian products of fields, for so many in a pass.
template <class Real>
struct ProductSpace {
  FieldTables<Real> tables;
  Parts parts;
  PieceSums* sums;
  VertexSums vertex_sums;
  BatchSum velocities;
  BatchSum points;
  double* times;  // one per field of the batch, where the batch shares one

  ProductSpace(Arena& arena, std::size_t cells, std::size_t point_count, SharedArguments shared, std::size_t batch,
               std::size_t fields)
      : tables(arena, cells, fields),
        parts(Parts::of(point_count, cells)),
        sums(arena.take<PieceSums>(fields * parts.count * tables.room())),
        vertex_sums(arena, cells + 1, fields),
        velocities(arena, shared.velocities, cells + 1, fields),
        points(arena, shared.points, point_count, fields),
        times(shared.time ? arena.take<double>(batch) : nullptr) {}
};

/// Where the gradients of a call go; empty where they are not wanted.
template <class Real>
struct ProductResults {
  Rows<Real> velocities;
  Rows<Real> points;
  std::span<double> times;

  [[nodiscard]] SharedArguments shared(std::size_t batch) const {
    return {!velocities.empty() && velocities.rows != batch, !points.empty() && points.rows != batch,
            !times.empty() && times.size() != batch};
  }
};

/// One pass: from the cotangents of its positions, or of another quantity, to gradients.
template <class Quantity = math::Positions, class Machine, class Real>
void drive_products(const Machine& machine, const FieldBatch<Real>& batch, const ProductSpace<Real>& space,
                    const PointSource<Real>& points, const Real* cotangents, const ProductResults<Real>& results,
                    std::size_t first, std::size_t count) {
  RowResult<Real> by_point{nullptr, space.points.rows()};
  if (!results.points.empty() && by_point.summed == nullptr) by_point.own = results.points.data + first * points.count;
  const FlowProducts<Real, Quantity> products{space.tables, batch.times, points,   cotangents, first,
                                              count,        space.parts, by_point, space.sums};
  machine.run(products, products.blocks());

  RowResult<Real> by_velocity{nullptr, space.velocities.rows()};
  if (!results.velocities.empty() && by_velocity.summed == nullptr) {
    by_velocity.own = results.velocities.data + first * space.tables.vertex_count();
  }
  double* const own_time = results.times.empty() ? nullptr : results.times.data();
  double* const by_time = space.times != nullptr ? space.times : own_time;
  machine.run(CollectGradients<Real, Quantity>{space.tables, batch.times, first, count, space.parts, space.sums,
                                               space.vertex_sums, batch.scale, by_velocity, by_time},
              count);
  space.velocities.add(machine, count);
  space.points.add(machine, count);
}

/// After the last pass.
template <class Machine, class Real>
void finish_products(const Machine& machine, const ProductSpace<Real>& space, const ProductResults<Real>& results,
                     std::size_t batch) {
  const SharedArguments shared = results.shared(batch);
  if (shared.velocities) space.velocities.finish(machine, results.velocities.data);
  if (shared.points) space.points.finish(machine, results.points.data);
  if (shared.time) machine.run(SumNumbers{space.times, batch, results.times.data()}, 1);
}

template <class Real>
[[nodiscard]] std::size_t products_per_pass(std::size_t cells, std::size_t points, SharedArguments shared,
                                            std::size_t batch, const Budget& budget) {
  return items_per_pass(budget, batch, [&](Arena& counted, std::size_t fields) {
    (void)ProductSpace<Real>(counted, cells, points, shared, 0, fields);
  });
}

template <class Quantity = math::Positions, class Machine, class Real>
void drive_flow_vjp(const Machine& machine, const FlowProblem<Real>& problem, Rows<const Real> cotangents,
                    const FlowGradients<Real>& gradients, Arena arena, const Budget& budget = {}) {
  require_flow_shapes(problem);
  const std::size_t points = problem.points.columns;
  require_shape("cotangents", cotangents, problem.batch(), points);
  require_gradient_shapes(problem, gradients);
  const FieldBatch<Real> batch(problem);
  const std::size_t cells = batch.tessellation.cells();
  const ProductResults<Real> results{gradients.velocities, gradients.points, gradients.times};
  const SharedArguments shared = results.shared(batch.count);
  const std::size_t per_pass = products_per_pass<Real>(cells, points, shared, batch.count, budget);
  ProductSpace<Real> space(arena, cells, points, shared, batch.count, per_pass);
  lay_out_grid(machine, batch, space.tables);
  space.velocities.clear(machine);
  space.points.clear(machine);
  for_each_pass(batch.count, per_pass, [&](std::size_t first, std::size_t count) {
    machine.run(
        BuildTables<Real, true, Quantity>{space.tables, batch.velocities, batch.times, batch.scale, first, count},
        count);
    drive_products<Quantity>(machine, batch, space, PointSource<Real>(field_rows(problem.points), points),
                             cotangents.data + first * points, results, first, count);
  });
  finish_products(machine, space, results, batch.count);
}

template <class Real>
[[nodiscard]] std::size_t flow_vjp_bytes(const FlowProblem<Real>& problem, const FlowGradients<Real>& gradients,
                                         const Budget& budget = {}) {
  require_flow_shapes(problem);
  const std::size_t cells = problem.velocities.columns - 1;
  const std::size_t points = problem.points.columns;
  const SharedArguments shared =
      ProductResults<Real>{gradients.velocities, gradients.points, gradients.times}.shared(problem.batch());
  Arena arena;
  (void)ProductSpace<Real>(arena, cells, points, shared, problem.batch(),
                           products_per_pass<Real>(cells, points, shared, problem.batch(), budget));
  return arena.used();
}

}  // namespace diffeo::cuda
