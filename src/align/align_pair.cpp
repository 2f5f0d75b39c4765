#include "diffeo/align_pair.hpp"

#include <array>

#include "align/series_checks.hpp"
#include "align/solver.hpp"
#include "core/equally_spaced.hpp"
#include "diffeo/error.hpp"
#include "diffeo/flow.hpp"
#include "diffeo/warp.hpp"

namespace diffeo {
namespace {

std::vector<double> positions_at(const std::vector<double>& velocities, std::size_t length, double time) {
  return flow(velocities, equally_spaced(length), time);
}

}  // namespace

PairAlignment align_pair(SeriesView<const double> source, SeriesView<const double> target,
                         const AlignOptions& options) {
  require_valid(options);
  require(source.channels > 0 && source.channels == target.channels, "source: expected ", target.channels,
          " channels as the target has, got ", source.channels);
  require_alignable("source", source);
  require_alignable("target", target);

  const std::size_t length = options.length == 0 ? target.length : options.length;
  GroupSolution solution = solve_group({&source, 1}, &target, length, options);

  PairAlignment result;
  result.channels = source.channels;
  result.length = length;
  result.velocities.assign(solution.velocities.values().begin(), solution.velocities.values().end());
  result.warp = positions_at(result.velocities, length, 1.0);
  result.inverse = positions_at(result.velocities, length, -1.0);
  result.aligned.resize(source.channels * length);
  const std::array time{1.0};
  warp<double>({.series = {source.data, 1, source.channels, source.length},
                .velocities = std::span<const double>(result.velocities),
                .times = time},
               {result.aligned.data(), 1, source.channels, length}, options.threads);
  result.initial_cost = solution.initial_cost;
  result.difference = solution.difference;
  result.penalty = solution.penalty;
  result.cost = solution.difference + solution.penalty;
  result.converged = solution.converged;
  result.quality = case_quality({&source, 1}, std::span<const double>(result.velocities), target, 0.0, 1).front();
  result.history = std::move(solution.history);
  return result;
}

}  // namespace diffeo
