#include "diffeo/studies/squaring_study.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "diffeo/error.hpp"
#include "studies/flow_scheme.hpp"
#include "studies/theta_jacobian.hpp"

namespace diffeo {
namespace {

/// Repetitions of a measurement are spread over this many rounds of all of them, so that other work for a tenth of a
/// second slows down no measurement as a whole.
constexpr std::size_t kRounds = 10;

struct Deviation {
  double root_mean_square = 0;
  double largest = 0;
};

/// Of `first` from `second`; from nothing where that is empty.
Deviation deviation(std::span<const double> first, std::span<const double> second = {}) {
  Deviation result;
  double squares = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const double difference = std::abs(first[i] - (second.empty() ? 0.0 : second[i]));
    squares += difference * difference;
    result.largest = std::max(result.largest, difference);
  }
  result.root_mean_square = std::sqrt(squares / static_cast<double>(first.size()));
  return result;
}

void require_squaring_options(const SquaringOptions& options) {
  require(!options.sizes.empty(), "sizes: expected at least one, got none");
  require(options.most_squarings <= kMaximumSquarings, "most_squarings: expected 0 to ", kMaximumSquarings, ", got ",
          options.most_squarings);
}

StudyFields fields_of_size(const SquaringOptions& options, double size) {
  StudySetting setting = options.setting;
  setting.size = size;
  setting.layout = PointLayout::equally_spaced;
  return study_fields(setting);
}

/// Calls visit(fields of the size, its index, squarings) for all of them.
template <class Visit>
void for_each_squaring(const SquaringOptions& options, const StudyProgress& progress, const Visit& visit) {
  const std::size_t each = options.most_squarings + 1;
  const double total = static_cast<double>(options.sizes.size() * each);
  for (std::size_t index = 0; index < options.sizes.size(); ++index) {
    const StudyFields fields = fields_of_size(options, options.sizes[index]);
    for (std::size_t squarings = 0; squarings < each; ++squarings) {
      visit(fields, index, squarings);
      if (progress) progress(static_cast<double>(index * each + squarings + 1) / total);
    }
  }
}

}  // namespace

SquaringError squaring_error(const StudyFields& fields, const ExactAnswers& exact, std::size_t squarings,
                             std::size_t threads) {
  require(exact.positions.size() == fields.points.size(), "exact: expected ", fields.points.size(),
          " positions as there are points, got ", exact.positions.size());
  const FlowScheme scheme = squaring_scheme(squarings, threads);
  const Deviation value = deviation(scheme_positions(scheme, fields.problem()), exact.positions);
  // Without squarings points do not depend on each other: the same bits as the closed form, point by point.
  const Deviation gradient = deviation(
      squarings == 0 ? theta_jacobian(fields, scheme) : theta_jacobian_of_grids(fields, scheme), exact.gradients);
  return {value.root_mean_square, gradient.root_mean_square, value.largest, gradient.largest};
}

SquaringErrors squaring_errors(const SquaringOptions& options, const StudyProgress& progress) {
  require_squaring_options(options);
  SquaringErrors errors;
  ExactAnswers exact;
  for_each_squaring(options, progress, [&](const StudyFields& fields, std::size_t index, std::size_t squarings) {
    if (squarings == 0) {
      exact = exact_answers(fields, options.threads);
      errors.displacements.push_back(deviation(exact.positions, fields.points).root_mean_square);
      errors.gradients.push_back(deviation(exact.gradients).root_mean_square);
      errors.sizes.emplace_back();
    }
    errors.sizes[index].push_back(squaring_error(fields, exact, squarings, options.threads));
  });
  return errors;
}

std::vector<std::vector<SquaringTime>> squaring_times(const SquaringOptions& options, std::size_t repetitions,
                                                      const StudyProgress& progress) {
  require_squaring_options(options);
  require(repetitions >= 1, "repetitions: expected at least 1, got 0");
  std::vector<std::vector<SquaringTime>> times(options.sizes.size());
  const std::size_t rounds = std::min(kRounds, repetitions);
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::size_t repeated = repetitions * (round + 1) / rounds - repetitions * round / rounds;
    const StudyProgress part = [&](double done) {
      if (progress) progress((static_cast<double>(round) + done) / static_cast<double>(rounds));
    };
    for_each_squaring(options, part, [&](const StudyFields& fields, std::size_t index, std::size_t squarings) {
      const ForwardAndGradient found =
          scheme_times(squaring_scheme(squarings, options.threads), fields.problem(), repeated);
      if (round == 0) times[index].push_back({found.forward, found.gradient});
      SquaringTime& least = times[index][squarings];
      least = {std::min(least.forward, found.forward), std::min(least.gradient, found.gradient)};
    });
  }
  return times;
}

}  // namespace diffeo
