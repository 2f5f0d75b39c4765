// The variances of align/mixed_criterion.hpp from the data, in turn with the warps.
//
// Around given warps the model is linear: residual_i + J_i (v_i - v) = heights + noise, with v_i normal by the prior of
// warps. So the residual at rest is normal with covariance C + J S J^T, C that of heights and noise, S that of
// velocities. Its likelihood, maximized over the noise in closed form and over the ratios of the other variances by a
// search in their logarithms, tells height from timing from noise, and how smooth warps are. It also compares starts:
// the alignment that explains the series best wins, however it was reached.
#pragma once

#include <optional>
#include <vector>

#include "align/descent.hpp"
#include "align/mixed_criterion.hpp"
#include "diffeo/align_options.hpp"

namespace diffeo {

struct MixedFit {
  GroupState state;
  MixedParameters parameters;
  double log_likelihood = 0.0;
  Outcome outcome = Outcome::converged;
  bool is_pointless = false;  // given up beside a rival
};

/// What to begin with: heights that vary a little, noise as estimated from the series, warps of moderate size.
[[nodiscard]] MixedParameters initial_parameters(double noise_variance, double scale, const AlignOptions& options,
                                                 std::size_t values_per_case);

/// The variances that make the series most likely under given warps.
[[nodiscard]] MixedParameters estimated_parameters(const MixedSeries& series, const Matrix& velocities,
                                                   MixedParameters parameters, double scale,
                                                   const AlignOptions& options);

/// How much work a fit is worth.
struct MixedEffort {
  bool screening = false;  // no more than it takes to compare starts
  /// The fit is given up if after its first round it is hopeless beside this one, or leads to the same warps.
  const MixedFit* rival = nullptr;
  Stage stage{};
};

/// Warps and variances in turn, from `start`, until the likelihood grows no further. What the options fix (prior_weight,
/// length_scale) stays.
[[nodiscard]] MixedFit fit_mixed(const MixedSeries& series, Matrix start, MixedParameters parameters, double scale,
                                 const MixedEffort& effort, const AlignOptions& options,
                                 std::vector<AlignStep>& history);

/// Warps alone, with given variances, and the likelihood of the result.
[[nodiscard]] MixedFit warp_mixed(const MixedSeries& series, Matrix start, const MixedParameters& parameters,
                                  double scale, const Stage& stage, const AlignOptions& options,
                                  std::vector<AlignStep>& history);

}  // namespace diffeo
