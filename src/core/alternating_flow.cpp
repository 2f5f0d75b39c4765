// The alternating solver of diffeo/numeric_flow.hpp.
#include <cmath>

#include "core/stepping.hpp"
#include "diffeo/error.hpp"
#include "diffeo/numeric_flow.hpp"

namespace diffeo {
namespace {

/// expm1(z)/z.
double mean_growth(double z) noexcept { return z == 0 ? 1.0 : std::expm1(z) / z; }

/// Its derivative (exp(z) - expm1(z)/z) / z, which cancels near 0; there the series sum z^k / (k! (k + 2)).
double mean_growth_slope(double z) noexcept {
  constexpr double kSeriesRadius = 0.5;
  constexpr int kTerms = 15;  // 0.5^15 / 15! is below 2^-54
  if (std::abs(z) > kSeriesRadius) return (std::exp(z) - mean_growth(z)) / z;
  double sum = 0;
  double power = 1;
  for (int k = 0; k < kTerms; ++k) {
    sum += power / (k + 2);
    power *= z / (k + 1);
  }
  return sum;
}

/// a * b where a zero stands for "no influence", also beside an overflow.
double product(double a, double b) noexcept { return a == 0 ? 0.0 : a * b; }

/// Where the affine function of the cell at hand takes x, whether or not that is still in the cell
/// (docs/math.md, 2).
double analytic_step(const FieldValue& at, double x, double dt) noexcept {
  return x + product(at.velocity, dt * mean_growth(at.slope * dt));
}

PointGradient reverse_analytic(const FieldValue& at, double spacing, double dt, double cotangent,
                               double* by_velocity) noexcept {
  const double z = at.slope * dt;
  const double growth = std::exp(z);
  add_vertex_gradient(at, product(cotangent, dt * mean_growth(z)), by_velocity);
  const double by_slope = product(cotangent * at.velocity, dt * dt * mean_growth_slope(z));
  by_velocity[at.cell] -= by_slope / spacing;
  by_velocity[at.cell + 1] += by_slope / spacing;
  return {product(cotangent, growth), product(cotangent * at.velocity, growth)};
}

template <class Real>
double midpoint_step(const AffineField<Real>& field, double x, double dt) noexcept {
  return x + dt * field.at(x + dt / 2 * field.at(x).velocity).velocity;
}

template <class Real>
PointGradient reverse_midpoint(const AffineField<Real>& field, double x, double dt, double cotangent,
                               double* by_velocity) noexcept {
  const FieldValue start = field.at(x);
  const FieldValue middle = field.at(x + dt / 2 * start.velocity);
  const double second = cotangent * dt;
  const double at_middle = second * middle.slope;
  const double first = at_middle * dt / 2;
  add_vertex_gradient(middle, second, by_velocity);
  add_vertex_gradient(start, first, by_velocity);
  return {cotangent + at_middle + first * start.slope, cotangent * middle.velocity + at_middle * start.velocity / 2};
}

struct Alternating {
  AlternatingOptions options;

  [[nodiscard]] std::size_t tape_size() const noexcept { return options.steps + options.inner_steps; }
  /// Between a step in one cell and one with all its inner steps.
  [[nodiscard]] double nanoseconds() const noexcept {
    return static_cast<double>(options.steps) * (30.0 + 5.0 * static_cast<double>(options.inner_steps));
  }

  template <class Real>
  [[nodiscard]] double flow(const AffineField<Real>& field, double x, double time) const noexcept {
    const double dt = time / static_cast<double>(options.steps);
    for (std::size_t i = 0; i < options.steps; ++i) x = step(field, x, dt);
    return x;
  }

  template <class Real>
  [[nodiscard]] double step(const AffineField<Real>& field, double x, double dt) const noexcept {
    const FieldValue start = field.at(x);
    const double analytic = analytic_step(start, x, dt);
    if (field.table.cell(analytic) == start.cell) return analytic;
    const double small = dt / static_cast<double>(options.inner_steps);
    for (std::size_t i = 0; i < options.inner_steps; ++i) x = midpoint_step(field, x, small);
    return x;
  }

  /// The tape is for the large steps, then for the inner steps of the one being reversed.
  template <class Real>
  PointGradient reverse(const AffineField<Real>& field, double point, double time, double cotangent, double* tape,
                        double* by_velocity) const noexcept {
    const double dt = time / static_cast<double>(options.steps);
    double* const inner_tape = tape + options.steps;
    return reverse_through(
        options.steps, point, cotangent, tape, [&](double x) { return step(field, x, dt); },
        [&](double x, double weight) { return reverse_step(field, x, dt, weight, inner_tape, by_velocity); });
  }

  template <class Real>
  PointGradient reverse_step(const AffineField<Real>& field, double start, double dt, double cotangent, double* tape,
                             double* by_velocity) const noexcept {
    const FieldValue at = field.at(start);
    if (field.table.cell(analytic_step(at, start, dt)) == at.cell) {
      return reverse_analytic(at, field.table.spacing(), dt, cotangent, by_velocity);
    }
    const double small = dt / static_cast<double>(options.inner_steps);
    return reverse_through(
        options.inner_steps, start, cotangent, tape, [&](double x) { return midpoint_step(field, x, small); },
        [&](double x, double weight) { return reverse_midpoint(field, x, small, weight, by_velocity); });
  }
};

Alternating checked_scheme(AlternatingOptions options) {
  require(options.steps >= 1 && options.steps <= kMaximumSteps, "steps: expected 1 to ", kMaximumSteps, ", got ",
          options.steps);
  require(options.inner_steps >= 1 && options.inner_steps <= kMaximumSteps, "inner_steps: expected 1 to ",
          kMaximumSteps, ", got ", options.inner_steps);
  return {options};
}

}  // namespace

template <class Real>
void flow_alternating(const FlowProblem<Real>& problem, AlternatingOptions options, Rows<Real> positions,
                      std::size_t threads) {
  run_scheme(problem, checked_scheme(options), positions, threads);
}

template <class Real>
void flow_alternating_vjp(const FlowProblem<Real>& problem, AlternatingOptions options, Rows<const Real> cotangents,
                          FlowGradients<Real> gradients, std::size_t threads) {
  run_scheme_vjp(problem, checked_scheme(options), cotangents, gradients, threads);
}

template void flow_alternating(const FlowProblem<float>&, AlternatingOptions, Rows<float>, std::size_t);
template void flow_alternating(const FlowProblem<double>&, AlternatingOptions, Rows<double>, std::size_t);
template void flow_alternating_vjp(const FlowProblem<float>&, AlternatingOptions, Rows<const float>,
                                   FlowGradients<float>, std::size_t);
template void flow_alternating_vjp(const FlowProblem<double>&, AlternatingOptions, Rows<const double>,
                                   FlowGradients<double>, std::size_t);

}  // namespace diffeo
