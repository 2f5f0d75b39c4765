#include "studies/flow_scheme.hpp"

#include <algorithm>
#include <span>

#include "diffeo/random.hpp"
#include "diffeo/scaling_squaring.hpp"
#include "studies/least_time.hpp"

namespace diffeo {
namespace {

constexpr std::uint64_t kSeedOfCotangents = 1;  // fixed: a timing is compared with other timings of the same work

std::vector<float> in_single_precision(Rows<const double> rows) { return {rows.data, rows.data + rows.size()}; }

/// The same problem in float32.
struct SingleProblem {
  explicit SingleProblem(const FlowProblem<double>& problem)
      : velocities(in_single_precision(problem.velocities)),
        points(in_single_precision(problem.points)),
        view{{velocities.data(), problem.velocities.rows, problem.velocities.columns},
             {points.data(), problem.points.rows, problem.points.columns},
             problem.times,
             problem.domain} {}
  SingleProblem(const SingleProblem&) = delete;
  SingleProblem& operator=(const SingleProblem&) = delete;

  std::vector<float> velocities;
  std::vector<float> points;
  FlowProblem<float> view;
};

void flow_in_single_precision(const FlowProblem<double>& problem, Rows<double> positions, std::size_t threads) {
  const SingleProblem single(problem);
  std::vector<float> found(positions.size());
  flow(single.view, Rows<float>(found.data(), positions.rows, positions.columns), threads);
  std::ranges::copy(found, positions.data);
}

/// To the velocities only.
void pull_back_in_single_precision(const FlowProblem<double>& problem, Rows<const double> cotangents,
                                   FlowGradients<double> gradients, std::size_t threads) {
  const SingleProblem single(problem);
  const std::vector<float> weights = in_single_precision(cotangents);
  std::vector<float> found(gradients.velocities.size());
  FlowGradients<float> to;
  to.velocities = {found.data(), gradients.velocities.rows, gradients.velocities.columns};
  flow_vjp(single.view, Rows<const float>(weights.data(), cotangents.rows, cotangents.columns), to, threads);
  std::ranges::copy(found, gradients.velocities.data);
}

}  // namespace

FlowScheme closed_form_scheme(std::size_t threads) {
  return {
      [=](const auto& problem, auto positions) { flow(problem, positions, threads); },
      [=](const auto& problem, auto cotangents, auto gradients) { flow_vjp(problem, cotangents, gradients, threads); }};
}

FlowScheme single_precision_scheme(std::size_t threads) {
  return {[=](const auto& problem, auto positions) { flow_in_single_precision(problem, positions, threads); },
          [=](const auto& problem, auto cotangents, auto gradients) {
            pull_back_in_single_precision(problem, cotangents, gradients, threads);
          }};
}

FlowScheme alternating_scheme(AlternatingOptions options, std::size_t threads) {
  return {[=](const auto& problem, auto positions) { flow_alternating(problem, options, positions, threads); },
          [=](const auto& problem, auto cotangents, auto gradients) {
            flow_alternating_vjp(problem, options, cotangents, gradients, threads);
          }};
}

FlowScheme runge_kutta_scheme(std::size_t steps, std::size_t threads) {
  return {[=](const auto& problem, auto positions) { flow_numeric(problem, steps, positions, threads); },
          [=](const auto& problem, auto cotangents, auto gradients) {
            flow_numeric_vjp(problem, steps, cotangents, gradients, threads);
          }};
}

FlowScheme squaring_scheme(std::size_t squarings, std::size_t threads) {
  return {[=](const auto& problem, auto positions) { flow_scaling_squaring(problem, squarings, positions, threads); },
          [=](const auto& problem, auto cotangents, auto gradients) {
            flow_scaling_squaring_vjp(problem, squarings, cotangents, gradients, threads);
          }};
}

std::vector<double> scheme_positions(const FlowScheme& scheme, const FlowProblem<double>& problem) {
  std::vector<double> positions(problem.batch() * problem.points.columns);
  scheme.flow(problem, Rows<double>(positions.data(), problem.batch(), problem.points.columns));
  return positions;
}

ForwardAndGradient scheme_times(const FlowScheme& scheme, const FlowProblem<double>& problem, std::size_t repetitions) {
  const std::size_t columns = problem.points.columns;
  std::vector<double> positions(problem.batch() * columns);
  std::vector<double> cotangents(positions.size());
  Random random(kSeedOfCotangents);
  std::ranges::generate(cotangents, [&] { return random.normal(); });
  std::vector<double> by_velocity(problem.velocities.size());
  FlowGradients<double> gradients;
  gradients.velocities = {by_velocity.data(), problem.batch(), problem.velocities.columns};
  const Rows<double> to(positions.data(), problem.batch(), columns);
  const Rows<const double> weights(cotangents.data(), problem.batch(), columns);
  return {least_milliseconds(repetitions, [&] { scheme.flow(problem, to); }),
          least_milliseconds(repetitions, [&] { scheme.pull_back(problem, weights, gradients); })};
}

}  // namespace diffeo
