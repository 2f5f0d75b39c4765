// What numerical integration loses against the closed form, in positions and in their gradients.
//
// The error of a scheme is the paper's (equation "error_comparison" of its appendix): for every field the largest
// absolute difference from the closed form over all points, then the mean over the fields. Gradients are those of the
// positions by theta; there the largest is over the points and the entries of theta. They are computed in two ways:
//
//   gradient        exact gradients of the scheme (flow_alternating_vjp and its like)
//   by_differences  (phi(theta + h e_k) - phi(theta)) / h with h = kThetaDifferenceStep: what public implementations
//                   of the alternating solver do
//
// A vertex that is crossed inside a step costs an error of order step^2 that depends on where in the step it lies, so
// positions converge with order 2, and gradients, which feel how that place moves, with order 1.
//
//   PrecisionOptions options;                            // the paper's setting
//   const PrecisionErrors errors = precision_errors(options);
//   errors.alternating[9][9].value                       // of 10 steps and 10 inner steps, as its authors recommend
//
//   * the same options give the same bits on the same instruction set, for any number of threads (0: all cores)
//   * O(fields * points * theta * steps * inner_steps), summed over the map
//   * std::invalid_argument for what study_fields refuses, an empty map, and steps outside 1 ... kMaximumSteps
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "diffeo/numeric_flow.hpp"
#include "diffeo/studies/study_fields.hpp"

namespace diffeo {

/// Of the forward differences by theta, as in libcpab 0.1.3 and difw 0.0.31.
inline constexpr double kThetaDifferenceStep = 0.01;

struct PrecisionError {
  double value = 0;
  double gradient = 0;
  double by_differences = 0;
};

/// The closed form's answers, which errors are measured from: made once for many schemes.
struct ExactAnswers {
  std::vector<double> positions;  ///< (fields, points)
  std::vector<double> gradients;  ///< (fields * points, dimension of theta)
};
[[nodiscard]] ExactAnswers exact_answers(const StudyFields& fields, std::size_t threads = 0);

[[nodiscard]] PrecisionError alternating_error(const StudyFields& fields, const ExactAnswers& exact,
                                               AlternatingOptions options, std::size_t threads = 0);
[[nodiscard]] PrecisionError runge_kutta_error(const StudyFields& fields, const ExactAnswers& exact, std::size_t steps,
                                               std::size_t threads = 0);
/// Of the closed form itself, with arguments and results in float32.
[[nodiscard]] PrecisionError single_precision_error(const StudyFields& fields, const ExactAnswers& exact,
                                                    std::size_t threads = 0);

struct PrecisionOptions {
  StudySetting setting;
  std::size_t most_steps = 20;
  std::size_t most_inner_steps = 20;
  std::vector<std::size_t> runge_kutta_steps = {1, 2, 4, 8, 16, 32, 64, 128, 256};
  std::size_t threads = 0;
};

struct PrecisionErrors {
  std::vector<std::vector<PrecisionError>> alternating;  ///< [steps - 1][inner_steps - 1]
  std::vector<PrecisionError> runge_kutta;               ///< as PrecisionOptions::runge_kutta_steps
  PrecisionError single_precision;
  double displacement = 0;      ///< the largest of a field's points, mean over the fields
  double largest_gradient = 0;  ///< by theta, mean over the fields
};

/// Is told which part of the work is done.
using StudyProgress = std::function<void(double done)>;

[[nodiscard]] PrecisionErrors precision_errors(const PrecisionOptions& options, const StudyProgress& progress = {});

/// Milliseconds for all fields and points, the least of all repetitions; the gradient is one vector-Jacobian product.
struct SchemeTime {
  std::string scheme;  ///< closed-form, alternating or runge-kutta, all in double
  std::size_t steps = 0;
  std::size_t inner_steps = 0;
  double forward = 0;
  double gradient = 0;
};

/// The closed form; the alternating solver with n steps of n inner steps each, n = 1, 2, 5, 10, 20 as far as the map
/// goes; and all the Runge-Kutta steps.
[[nodiscard]] std::vector<SchemeTime> precision_times(const PrecisionOptions& options, std::size_t repetitions,
                                                      const StudyProgress& progress = {});

}  // namespace diffeo
