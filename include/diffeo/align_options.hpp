// Criterion and options of alignment without a network.
//
// A warp phi (the flow of a velocity field, diffeo/flow.hpp) brings a series s into the time of a template m. The
// criterion measures how well they agree:
//
//   * mixed: s = m in the series' own time, times a gain, + slowly varying heights + noise. The difference is the residual
//     whitened by the covariance of all three. All variances, and the prior of the warps, are estimated by likelihood
//   * slopes: square-root slopes f' / |f'|^{1/2}, warped with the root of phi'. Offsets do not count, heights count
//     less, and squeezing gains nothing. Starts from the best path on a grid. Plateaus have no slope to compare; gaps
//     count as flat
//   * values: the squared difference below. Right if heights agree; squeezes tall parts if they do not
//   * automatic: mixed for a group of at least four series without a template, but values if those bring values and
//     slopes closer together; otherwise slopes, then values if heights agree
//
// The cost of `values` is
//
//   sum_j weight_j |s(phi(x_j)) - m(x_j)|^2 / scale  +  prior_weight * theta^T Sigma^{-1} theta
//   weight_j = (1 - own_time) dx_j + own_time dphi_j
//
//   * dx_j and dphi_j are the time that sample j covers in the template's time and, along the warp, in the series' own
//     time. With own_time = 0 the sum is the squared difference after warping, the variance of the paper's loss. It
//     can be lowered by squeezing mismatched parts away. With own_time = 1 it is the squared difference between the raw
//     series and the template warped back, which can be lowered by squeezing the template. Half of each resists both
//     (docs/decisions.md, "What alignment minimizes")
//   * scale is the variance of the series about their own means over time, so the cost does not depend on units
//   * Sigma is the covariance of diffeo/prior.hpp with variance 1 and this length scale. Unless set, prior_weight is
//     1e-3 here and length_scale 0.1
//   * missing values are ignored, and the sum is divided by the weight of the present ones
//
// It is minimized from coarse to fine: strongly smoothed series and few cells first, then the series themselves and all
// cells. For measurements and the other criteria see docs/decisions.md, "What alignment minimizes" and "How
// alignment is solved".
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace diffeo {

/// One step of the solver: its resolution and the cost reached. Costs with different smoothing are not
/// comparable.
struct AlignStep {
  std::size_t cells = 0;
  double smoothing = 0.0;  ///< standard deviation of the smoothing, as a fraction of the duration
  double cost = 0.0;
  /// Estimated fraction of the search that is done, 0 to 1; the search ends on convergence. In `progress` the fraction
  /// for all classes, in a history for its own class.
  double done = 0.0;
};

/// The quantity that is compared.
enum class AlignCriterion {
  /// Mixed for a group, or values if slopes agree better under them; for a pair, a template or fewer than four series
  /// slopes, then values if heights agree.
  automatic,
  values,  ///< the squared difference: right if heights agree
  slopes,  ///< square-root slopes: right if heights vary; fail on plateaus
  mixed,   ///< a model of heights, noise and warps, fitted by likelihood
};

struct AlignOptions {
  AlignCriterion criterion = AlignCriterion::automatic;
  std::size_t cells = 16;            ///< of the velocity fields
  bool zero_boundary = true;         ///< fix both ends of the series
  double prior_weight = 0.0;         ///< strength of the smoothness prior: larger means gentler warps; 0: from the data
  double length_scale = 0.0;         ///< of the prior, as a fraction of the duration; 0: from the data
  std::optional<double> smoothing;   ///< finest, of slopes, as a fraction of the duration; empty: from the noise
  double own_time = 0.5;             ///< 0 to 1: for `values`, the share of the difference in own time
  std::size_t length = 0;            ///< of aligned series; 0: that of the target, or of the longest series
  std::size_t max_iterations = 100;  ///< at each resolution
  double tolerance = 1e-5;           ///< stop when a step lowers the cost by less than this fraction
  std::size_t threads = 0;           ///< 0: all cores the process may use; results do not depend on it
  /// Called after every step, from the calling thread; returning false ends the search.
  std::function<bool(const AlignStep&)> progress = {};
};

/// "auto", "values", "slopes", "mixed": in the order of AlignCriterion.
[[nodiscard]] const std::vector<std::string_view>& align_criterion_names();
/// The inverse; std::invalid_argument for an unknown name.
[[nodiscard]] AlignCriterion align_criterion(std::string_view name);

/// std::invalid_argument unless every option is in its range.
void require_valid(const AlignOptions& options);

}  // namespace diffeo
