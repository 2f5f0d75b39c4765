// A quantity of many flows, and its vector-Jacobian product: what flow.hpp and log_slope.hpp have in common.
#pragma once

#include <cstddef>

#include "core/field_workspace.hpp"
#include "diffeo/flow.hpp"

namespace diffeo {

/// values(i, j): the quantity at points(i, j) under field i. `values` must have the shape; the problem is checked.
template <class Real>
void evaluate(Quantity quantity, const FlowProblem<Real>& problem, Rows<Real> values, std::size_t threads);

/// Gradients of sum_ij cotangents(i, j) * values(i, j). All arguments are checked.
template <class Real>
void evaluate_vjp(Quantity quantity, const FlowProblem<Real>& problem, Rows<const Real> cotangents,
                  FlowGradients<Real> gradients, std::size_t threads);

}  // namespace diffeo
