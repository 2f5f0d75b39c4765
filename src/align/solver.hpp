// The warps of a group of series: which criterion, from which starts, and which result is kept.
//
//   values   the cost of diffeo/align_options.hpp, from coarse to fine
//   slopes   square-root slopes, from the globally best paths, from coarse to fine
//   mixed    the model of align/mixed_model.hpp, from best paths and from rest; the likelihood chooses. Series that
//            are stuck are freed (align/stuck.hpp)
//   auto     a group: mixed, or values if under their warps both values and slopes agree better. A pair, or fewer than
//            four series, cannot tell height from timing by themselves: slopes, then values if after that the heights
//            turn out to agree
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "align/mixed_criterion.hpp"
#include "diffeo/align_options.hpp"
#include "diffeo/dataset.hpp"
#include "diffeo/matrix.hpp"

namespace diffeo {

struct GroupSolution {
  Matrix velocities;          // (cases, cells + 1)
  double initial_cost = 0.0;  // mean over the cases, at the finest resolution, of warps that move nothing
  double difference = 0.0;    // the same for the solution, without the penalty
  double penalty = 0.0;
  double log_likelihood = 0.0;  // comparable between templates, for series aligned by `model` parameters
  MixedParameters model;        // of the mixed criterion; noise 0 for others
  bool converged = false;
  std::vector<AlignStep> history;
};

/// Aligns the series, all with `channels` channels, to `target` (channels x anything), or to their mean where `target`
/// is null. `length` is the number of grid points at the finest resolution. Options have been checked.
[[nodiscard]] GroupSolution solve_group(std::span<const SeriesView<const double>> series,
                                        const SeriesView<const double>* target, std::size_t length,
                                        const AlignOptions& options);

/// One series to the template of a group whose model is known.
[[nodiscard]] GroupSolution solve_by_model(SeriesView<const double> series, SeriesView<const double> target,
                                           std::size_t length, const MixedParameters& model,
                                           const AlignOptions& options);

/// Variance of the series about their own means over time, summed over the channels; 1 where all are constant.
[[nodiscard]] double variance_over_time(std::span<const SeriesView<const double>> series);

}  // namespace diffeo
