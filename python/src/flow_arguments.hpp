// What the bindings of every kind of flow have in common: their arguments and the gradients they give back.
#pragma once

#include <tuple>

#include "arrays.hpp"
#include "diffeo/flow.hpp"

namespace diffeo::python {

/// The arrays of a flow, as NumPy arrays and as the core sees them. Lives as long as the views are used.
template <class Real>
struct FlowArguments {
  const Array<Real>& velocities;
  const Array<Real>& points;
  const Array<double>& times;
  Domain domain;

  [[nodiscard]] FlowProblem<Real> problem() const { return {rows(velocities), rows(points), values(times), domain}; }
  [[nodiscard]] Array<Real> new_positions() const { return new_array<Real>(extent(velocities, 0), extent(points, 1)); }
};

/// Positions computed by work(problem, positions) while other Python threads may run.
template <class Real, class Work>
Array<Real> positions_by(const FlowArguments<Real>& arguments, const Work& work) {
  Array<Real> result = arguments.new_positions();
  const FlowProblem<Real> problem = arguments.problem();
  const Rows<Real> positions = mutable_rows(result);
  without_gil([&] { work(problem, positions); });
  return result;
}

/// Which gradients to compute; the others come back as None.
struct WantedFlowGradients {
  bool velocities;
  bool points;
  bool times;
};

template <class Real>
using FlowGradientArrays = std::tuple<OptionalArray<Real>, OptionalArray<Real>, OptionalArray<double>>;

/// Gradients computed by work(problem, cotangents, gradients) while other Python threads may run.
template <class Real, class Work>
FlowGradientArrays<Real> gradients_by(const FlowArguments<Real>& arguments, const Array<Real>& cotangents,
                                      WantedFlowGradients wanted, const Work& work) {
  FlowGradientArrays<Real> result{new_array_if(wanted.velocities, arguments.velocities),
                                  new_array_if(wanted.points, arguments.points),
                                  new_array_if(wanted.times, arguments.times)};
  auto& [by_velocity, by_point, by_time] = result;
  const FlowProblem<Real> problem = arguments.problem();
  const Rows<const Real> weights = rows(cotangents);
  const FlowGradients<Real> gradients{mutable_rows(by_velocity), mutable_rows(by_point), mutable_values(by_time)};
  without_gil([&] { work(problem, weights, gradients); });
  return result;
}

}  // namespace diffeo::python
