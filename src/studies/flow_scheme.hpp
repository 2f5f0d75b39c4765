// A way to flow, as the studies see it: positions, and the product of cotangents with their Jacobian.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "diffeo/flow.hpp"
#include "diffeo/numeric_flow.hpp"
#include "diffeo/studies/study_fields.hpp"

namespace diffeo {

struct FlowScheme {
  std::function<void(const FlowProblem<double>&, Rows<double> positions)> flow;
  std::function<void(const FlowProblem<double>&, Rows<const double> cotangents, FlowGradients<double>)> pull_back;
};

[[nodiscard]] FlowScheme closed_form_scheme(std::size_t threads);
/// Arguments rounded to float32, results too.
[[nodiscard]] FlowScheme single_precision_scheme(std::size_t threads);
[[nodiscard]] FlowScheme alternating_scheme(AlternatingOptions options, std::size_t threads);
[[nodiscard]] FlowScheme runge_kutta_scheme(std::size_t steps, std::size_t threads);
[[nodiscard]] FlowScheme squaring_scheme(std::size_t squarings, std::size_t threads);

/// Where a scheme takes all points: (fields, points).
[[nodiscard]] std::vector<double> scheme_positions(const FlowScheme& scheme, const FlowProblem<double>& problem);

/// Milliseconds, the least of all repetitions.
struct ForwardAndGradient {
  double forward = 0;
  double gradient = 0;
};
/// Positions, and one vector-Jacobian product to the velocities with random cotangents.
[[nodiscard]] ForwardAndGradient scheme_times(const FlowScheme& scheme, const FlowProblem<double>& problem,
                                              std::size_t repetitions);

}  // namespace diffeo
