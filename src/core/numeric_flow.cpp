#include "diffeo/numeric_flow.hpp"

#include "core/stepping.hpp"
#include "diffeo/error.hpp"

namespace diffeo {
namespace {

/// The four evaluations of the field in one step.
struct Stages {
  FieldValue first, second, third, fourth;

  [[nodiscard]] double velocity() const noexcept {
    return (first.velocity + 2 * second.velocity + 2 * third.velocity + fourth.velocity) / 6;
  }
};

template <class Real>
Stages stages_at(const AffineField<Real>& field, double x, double dt) noexcept {
  Stages stages;
  stages.first = field.at(x);
  stages.second = field.at(x + dt / 2 * stages.first.velocity);
  stages.third = field.at(x + dt / 2 * stages.second.velocity);
  stages.fourth = field.at(x + dt * stages.third.velocity);
  return stages;
}

/// Gradient of cotangent * (x + dt * stages.velocity()) by x and dt; adds that by the vertex velocities.
/// Stage i is evaluated at x plus a multiple of the velocity of the stage before: what arrives at its
/// velocity goes on, times the slope, to x and to that earlier velocity.
PointGradient reverse_step(const Stages& stages, double dt, double cotangent, double* by_velocity) noexcept {
  const double fourth = cotangent * dt / 6;
  const double at_fourth = fourth * stages.fourth.slope;
  const double third = cotangent * dt / 3 + at_fourth * dt;
  const double at_third = third * stages.third.slope;
  const double second = cotangent * dt / 3 + at_third * dt / 2;
  const double at_second = second * stages.second.slope;
  const double first = cotangent * dt / 6 + at_second * dt / 2;
  const double at_first = first * stages.first.slope;
  add_vertex_gradient(stages.first, first, by_velocity);
  add_vertex_gradient(stages.second, second, by_velocity);
  add_vertex_gradient(stages.third, third, by_velocity);
  add_vertex_gradient(stages.fourth, fourth, by_velocity);
  return {cotangent + at_first + at_second + at_third + at_fourth,
          cotangent * stages.velocity() + at_second * stages.first.velocity / 2 +
              at_third * stages.second.velocity / 2 + at_fourth * stages.third.velocity};
}

struct RungeKutta {
  std::size_t steps;

  [[nodiscard]] std::size_t tape_size() const noexcept { return steps; }
  [[nodiscard]] double nanoseconds() const noexcept { return 40.0 * static_cast<double>(steps); }

  template <class Real>
  [[nodiscard]] double flow(const AffineField<Real>& field, double x, double time) const noexcept {
    const double dt = time / static_cast<double>(steps);
    for (std::size_t i = 0; i < steps; ++i) x += dt * stages_at(field, x, dt).velocity();
    return x;
  }

  template <class Real>
  PointGradient reverse(const AffineField<Real>& field, double point, double time, double cotangent, double* tape,
                        double* by_velocity) const noexcept {
    const double dt = time / static_cast<double>(steps);
    return reverse_through(
        steps, point, cotangent, tape, [&](double x) { return x + dt * stages_at(field, x, dt).velocity(); },
        [&](double x, double weight) { return reverse_step(stages_at(field, x, dt), dt, weight, by_velocity); });
  }
};

RungeKutta checked_scheme(std::size_t steps) {
  require(steps >= 1 && steps <= kMaximumSteps, "steps: expected 1 to ", kMaximumSteps, ", got ", steps);
  return {steps};
}

}  // namespace

template <class Real>
void flow_numeric(const FlowProblem<Real>& problem, std::size_t steps, Rows<Real> positions, std::size_t threads) {
  run_scheme(problem, checked_scheme(steps), positions, threads);
}

template <class Real>
void flow_numeric_vjp(const FlowProblem<Real>& problem, std::size_t steps, Rows<const Real> cotangents,
                      FlowGradients<Real> gradients, std::size_t threads) {
  run_scheme_vjp(problem, checked_scheme(steps), cotangents, gradients, threads);
}

template void flow_numeric(const FlowProblem<float>&, std::size_t, Rows<float>, std::size_t);
template void flow_numeric(const FlowProblem<double>&, std::size_t, Rows<double>, std::size_t);
template void flow_numeric_vjp(const FlowProblem<float>&, std::size_t, Rows<const float>, FlowGradients<float>,
                               std::size_t);
template void flow_numeric_vjp(const FlowProblem<double>&, std::size_t, Rows<const double>, FlowGradients<double>,
                               std::size_t);

}  // namespace diffeo
