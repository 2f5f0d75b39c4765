#include "diffeo/log_slope.hpp"

#include "core/argument_checks.hpp"
#include "core/evaluate.hpp"

namespace diffeo {

template <class Real>
void flow_log_slope(const FlowProblem<Real>& problem, Rows<Real> log_slopes, std::size_t threads) {
  require_shape("log-slopes", log_slopes, problem.batch(), problem.points.columns);
  evaluate(Quantity::kLogSlope, problem, log_slopes, threads);
}

template <class Real>
std::vector<Real> flow_log_slope(const std::vector<Real>& velocities, const std::vector<Real>& points, double time,
                                 Domain domain) {
  std::vector<Real> log_slopes(points.size());
  flow_log_slope<Real>(
      {.velocities = std::span(velocities), .points = std::span(points), .times = {&time, 1}, .domain = domain},
      std::span(log_slopes), 1);
  return log_slopes;
}

template <class Real>
void flow_log_slope_vjp(const FlowProblem<Real>& problem, Rows<const Real> cotangents, FlowGradients<Real> gradients,
                        std::size_t threads) {
  evaluate_vjp(Quantity::kLogSlope, problem, cotangents, gradients, threads);
}

#define DIFFEO_INSTANTIATE(Real)                                                                                       \
  template void flow_log_slope<Real>(const FlowProblem<Real>&, Rows<Real>, std::size_t);                               \
  template std::vector<Real> flow_log_slope<Real>(const std::vector<Real>&, const std::vector<Real>&, double, Domain); \
  template void flow_log_slope_vjp<Real>(const FlowProblem<Real>&, Rows<const Real>, FlowGradients<Real>, std::size_t);
DIFFEO_INSTANTIATE(float)
DIFFEO_INSTANTIATE(double)
#undef DIFFEO_INSTANTIATE

}  // namespace diffeo
