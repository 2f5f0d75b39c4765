#include "diffeo/flow.hpp"

#include <vector>

#include "core/argument_checks.hpp"
#include "core/evaluate.hpp"

namespace diffeo {

template <class Real>
void flow(const FlowProblem<Real>& problem, Rows<Real> positions, std::size_t threads) {
  require_shape("positions", positions, problem.batch(), problem.points.columns);
  evaluate(Quantity::kPosition, problem, positions, threads);
}

template <class Real>
std::vector<Real> flow(const std::vector<Real>& velocities, const std::vector<Real>& points, double time,
                       Domain domain) {
  std::vector<Real> positions(points.size());
  flow<Real>({.velocities = std::span(velocities), .points = std::span(points), .times = {&time, 1}, .domain = domain},
             std::span(positions), 1);
  return positions;
}

template <class Real>
void flow_vjp(const FlowProblem<Real>& problem, Rows<const Real> cotangents, FlowGradients<Real> gradients,
              std::size_t threads) {
  evaluate_vjp(Quantity::kPosition, problem, cotangents, gradients, threads);
}

#define DIFFEO_INSTANTIATE(Real)                                                                             \
  template void flow<Real>(const FlowProblem<Real>&, Rows<Real>, std::size_t);                               \
  template std::vector<Real> flow<Real>(const std::vector<Real>&, const std::vector<Real>&, double, Domain); \
  template void flow_vjp<Real>(const FlowProblem<Real>&, Rows<const Real>, FlowGradients<Real>, std::size_t);
DIFFEO_INSTANTIATE(float)
DIFFEO_INSTANTIATE(double)
#undef DIFFEO_INSTANTIATE

}  // namespace diffeo
