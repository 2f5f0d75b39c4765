// The gradients of single positions by theta, from any way to flow.
//
// A vector-Jacobian product sums over the points it is given. So one field is given as many rows as it has points to be
// asked about, all alike, and each row asks about one of them.
#pragma once

#include <vector>

#include "diffeo/studies/study_fields.hpp"
#include "studies/flow_scheme.hpp"

namespace diffeo {

/// For schemes that move every point by itself: (fields * points, dimension of theta).
[[nodiscard]] std::vector<double> theta_jacobian(const StudyFields& fields, const FlowScheme& scheme);

/// For schemes in which the points of a field depend on each other; costs as many flows as there are points.
[[nodiscard]] std::vector<double> theta_jacobian_of_grids(const StudyFields& fields, const FlowScheme& scheme);

}  // namespace diffeo
