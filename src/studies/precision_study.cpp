#include "diffeo/studies/precision_study.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "diffeo/error.hpp"
#include "diffeo/matrix.hpp"
#include "studies/flow_scheme.hpp"
#include "studies/theta_jacobian.hpp"

namespace diffeo {
namespace {

/// For every field the largest of `magnitude(i)` over its part of the indices below `count`, then the mean over the
/// fields.
template <class Magnitude>
double mean_of_largest(std::size_t fields, std::size_t count, const Magnitude& magnitude) {
  const std::size_t each = count / fields;
  double sum = 0;
  for (std::size_t field = 0; field < fields; ++field) {
    double largest = 0;
    for (std::size_t i = field * each; i < (field + 1) * each; ++i) largest = std::max(largest, magnitude(i));
    sum += largest;
  }
  return sum / static_cast<double>(fields);
}

double mean_of_largest_difference(std::size_t fields, std::span<const double> first, std::span<const double> second) {
  return mean_of_largest(fields, first.size(), [&](std::size_t i) { return std::abs(first[i] - second[i]); });
}

/// The velocities of all fields after the entry of theta has grown by kThetaDifferenceStep.
StudyFields with_larger_theta(const StudyFields& fields, const Matrix& vertex_basis, std::size_t entry) {
  StudyFields moved = fields;
  const std::size_t vertices = vertex_basis.rows();
  for (std::size_t i = 0; i < moved.velocities.size(); ++i) {
    moved.velocities[i] += kThetaDifferenceStep * vertex_basis(i % vertices, entry);
  }
  return moved;
}

/// Gradients by theta from differences of a scheme's positions: (fields * points, dimension of theta).
std::vector<double> gradients_by_differences(const StudyFields& fields, const FlowScheme& scheme,
                                             std::span<const double> positions) {
  const Matrix vertex_basis = fields.space.vertex_basis();
  const std::size_t dimension = fields.space.dimension();
  std::vector<double> gradients(positions.size() * dimension);
  for (std::size_t entry = 0; entry < dimension; ++entry) {
    const StudyFields moved = with_larger_theta(fields, vertex_basis, entry);
    const std::vector<double> moved_positions = scheme_positions(scheme, moved.problem());
    for (std::size_t i = 0; i < positions.size(); ++i) {
      gradients[i * dimension + entry] = (moved_positions[i] - positions[i]) / kThetaDifferenceStep;
    }
  }
  return gradients;
}

PrecisionError error_of_scheme(const StudyFields& fields, const ExactAnswers& exact, const FlowScheme& scheme) {
  require(exact.positions.size() == fields.points.size(), "exact: expected ", fields.points.size(),
          " positions as there are points, got ", exact.positions.size());
  const std::vector<double> positions = scheme_positions(scheme, fields.problem());
  const auto error = [&](std::span<const double> found, std::span<const double> true_values) {
    return mean_of_largest_difference(fields.count, found, true_values);
  };
  return {error(positions, exact.positions), error(theta_jacobian(fields, scheme), exact.gradients),
          error(gradients_by_differences(fields, scheme, positions), exact.gradients)};
}

void require_precision_options(const PrecisionOptions& options) {
  require(options.most_steps >= 1, "most_steps: expected at least 1, got 0");
  require(options.most_inner_steps >= 1, "most_inner_steps: expected at least 1, got 0");
  for (const std::size_t steps : options.runge_kutta_steps) {
    require(steps >= 1 && steps <= kMaximumSteps, "runge_kutta_steps: expected 1 to ", kMaximumSteps, ", got ", steps);
  }
}

void tell_progress(const StudyProgress& progress, double done) {
  if (progress) progress(done);
}

/// What was done, in the units of what a scheme costs at most.
class WorkDone {
 public:
  WorkDone(const StudyProgress& progress, double total) : progress_(progress), total_(total) {}
  void add(double work) {
    done_ += work;
    tell_progress(progress_, done_ / total_);
  }

 private:
  const StudyProgress& progress_;
  double total_;
  double done_ = 0;
};

double sum_of_steps(const PrecisionOptions& options) {
  double sum = 0;
  for (const std::size_t steps : options.runge_kutta_steps) sum += static_cast<double>(steps);
  for (std::size_t steps = 1; steps <= options.most_steps; ++steps) {
    for (std::size_t inner = 1; inner <= options.most_inner_steps; ++inner) sum += static_cast<double>(steps * inner);
  }
  return sum;
}

}  // namespace

ExactAnswers exact_answers(const StudyFields& fields, std::size_t threads) {
  const FlowScheme exact = closed_form_scheme(threads);
  return {scheme_positions(exact, fields.problem()), theta_jacobian(fields, exact)};
}

PrecisionError alternating_error(const StudyFields& fields, const ExactAnswers& exact, AlternatingOptions options,
                                 std::size_t threads) {
  return error_of_scheme(fields, exact, alternating_scheme(options, threads));
}

PrecisionError runge_kutta_error(const StudyFields& fields, const ExactAnswers& exact, std::size_t steps,
                                 std::size_t threads) {
  return error_of_scheme(fields, exact, runge_kutta_scheme(steps, threads));
}

PrecisionError single_precision_error(const StudyFields& fields, const ExactAnswers& exact, std::size_t threads) {
  return error_of_scheme(fields, exact, single_precision_scheme(threads));
}

PrecisionErrors precision_errors(const PrecisionOptions& options, const StudyProgress& progress) {
  require_precision_options(options);
  const StudyFields fields = study_fields(options.setting);
  const ExactAnswers exact = exact_answers(fields, options.threads);
  PrecisionErrors errors;
  errors.displacement = mean_of_largest_difference(fields.count, exact.positions, fields.points);
  errors.largest_gradient = mean_of_largest(fields.count, exact.gradients.size(),
                                            [&](std::size_t i) { return std::abs(exact.gradients[i]); });
  errors.single_precision = single_precision_error(fields, exact, options.threads);
  WorkDone work(progress, sum_of_steps(options));
  for (const std::size_t steps : options.runge_kutta_steps) {
    errors.runge_kutta.push_back(runge_kutta_error(fields, exact, steps, options.threads));
    work.add(static_cast<double>(steps));
  }
  for (std::size_t steps = 1; steps <= options.most_steps; ++steps) {
    std::vector<PrecisionError>& row = errors.alternating.emplace_back();
    for (std::size_t inner = 1; inner <= options.most_inner_steps; ++inner) {
      row.push_back(alternating_error(fields, exact, {steps, inner}, options.threads));
      work.add(static_cast<double>(steps * inner));
    }
  }
  return errors;
}

std::vector<SchemeTime> precision_times(const PrecisionOptions& options, std::size_t repetitions,
                                        const StudyProgress& progress) {
  require_precision_options(options);
  require(repetitions >= 1, "repetitions: expected at least 1, got 0");
  constexpr std::size_t kTimedSteps[] = {1, 2, 5, 10, 20};
  const StudyFields fields = study_fields(options.setting);
  const std::size_t most = std::min(options.most_steps, options.most_inner_steps);
  std::vector<SchemeTime> times;
  const double schemes = static_cast<double>(options.runge_kutta_steps.size() + std::size(kTimedSteps) + 1);
  const auto add = [&](const char* name, std::size_t steps, std::size_t inner, const FlowScheme& scheme) {
    const auto [forward, gradient] = scheme_times(scheme, fields.problem(), repetitions);
    times.push_back({name, steps, inner, forward, gradient});
    tell_progress(progress, static_cast<double>(times.size()) / schemes);
  };
  add("closed-form", 0, 0, closed_form_scheme(options.threads));
  for (const std::size_t n : kTimedSteps) {
    if (n <= most) add("alternating", n, n, alternating_scheme({n, n}, options.threads));
  }
  for (const std::size_t n : options.runge_kutta_steps) {
    add("runge-kutta", n, 0, runge_kutta_scheme(n, options.threads));
  }
  return times;
}

}  // namespace diffeo
