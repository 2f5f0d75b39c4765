#include "studies/theta_jacobian.hpp"

#include <algorithm>
#include <span>

namespace diffeo {
namespace {

constexpr std::size_t kRowsAtATime = 64;  // bounds the memory of grids, rows times points

std::vector<double> repeated(std::span<const double> row, std::size_t count) {
  std::vector<double> rows;
  rows.reserve(count * row.size());
  for (std::size_t i = 0; i < count; ++i) rows.insert(rows.end(), row.begin(), row.end());
  return rows;
}

/// Pulls back one cotangent row per entry of `to`, all of the field whose velocities are given.
void pull_back_rows(const StudyFields& fields, const FlowScheme& scheme, std::span<const double> velocities,
                    Rows<const double> points, Rows<const double> cotangents, double* to) {
  const std::vector<double> rows = repeated(velocities, cotangents.rows);
  const FlowProblem<double> problem{{rows.data(), cotangents.rows, velocities.size()}, points, {&fields.time, 1}};
  std::vector<double> by_velocity(rows.size());
  FlowGradients<double> gradients;
  gradients.velocities = {by_velocity.data(), cotangents.rows, velocities.size()};
  scheme.pull_back(problem, cotangents, gradients);
  fields.space.theta_gradient(Rows<const double>(gradients.velocities),
                              Rows<double>(to, cotangents.rows, fields.space.dimension()));
}

}  // namespace

std::vector<double> theta_jacobian(const StudyFields& fields, const FlowScheme& scheme) {
  const FlowProblem<double> all = fields.problem();
  const std::size_t each = fields.points_each * fields.space.dimension();
  const std::vector<double> ones(fields.points_each, 1.0);
  std::vector<double> jacobian(fields.count * each);
  for (std::size_t field = 0; field < fields.count; ++field) {
    pull_back_rows(fields, scheme, all.velocities.row(field), {all.points.row(field).data(), fields.points_each, 1},
                   {ones.data(), fields.points_each, 1}, jacobian.data() + field * each);
  }
  return jacobian;
}

std::vector<double> theta_jacobian_of_grids(const StudyFields& fields, const FlowScheme& scheme) {
  const FlowProblem<double> all = fields.problem();
  const std::size_t n = fields.points_each;
  const std::size_t dimension = fields.space.dimension();
  std::vector<double> jacobian(fields.count * n * dimension);
  for (std::size_t begin = 0; begin < n; begin += kRowsAtATime) {
    const std::size_t rows = std::min(kRowsAtATime, n - begin);
    std::vector<double> cotangents(rows * n);
    for (std::size_t row = 0; row < rows; ++row) cotangents[row * n + begin + row] = 1.0;
    for (std::size_t field = 0; field < fields.count; ++field) {
      pull_back_rows(fields, scheme, all.velocities.row(field), Rows<const double>(all.points.row(field)),
                     {cotangents.data(), rows, n}, jacobian.data() + (field * n + begin) * dimension);
    }
  }
  return jacobian;
}

}  // namespace diffeo
