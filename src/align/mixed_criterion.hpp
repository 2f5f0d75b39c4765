// Warps judged by a model with mixed effects: what is common to the series, heights that vary, and noise.
//
//   series_i(t) = m(psi_i(t)) + g_i (m(psi_i(t)) - mean of m) + h_i(t) + e_i(t),   psi_i = phi_i^{-1}
//
// t is the series' own time, m the template in common time, g_i a gain (align/gains.hpp), h_i a Gaussian process
// (align/whitening.hpp) and e_i white noise. The difference is the squared residual whitened by the covariance of all
// three, over the number of samples and the scale. Where heights agree (ratio 0) it compares values, as the inverse-consistent error does; where they vary
// it compares slopes; the data decides (align/mixed_model.hpp). Derivatives come from the template, which is an average,
// not from the noisy series.
//
//   * the template is the mean of the warped series weighted by what a sample stands for in own time, or a fixed target
//   * channels have independent gains, heights and noise of the same variances, and share the warp
//   * a derivative is that of the template times 1 + gain: with the likeliest gain it is exact
//   * missing samples are left out; where nobody is present the template is interpolated
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "align/criterion.hpp"
#include "align/whitening.hpp"
#include "diffeo/align.hpp"
#include "diffeo/dataset.hpp"

namespace diffeo {

/// What the model says of heights, noise and warps: diffeo/align.hpp.
using MixedParameters = AlignmentModel;

/// Series as the model sees them: smoothed and thinned out where they are very long, each with its gaps.
class MixedSeries {
 public:
  MixedSeries(std::span<const SeriesView<const double>> series, const SeriesView<const double>* target,
              std::size_t length);

  [[nodiscard]] std::size_t cases() const noexcept { return values_.size(); }
  [[nodiscard]] std::size_t channels() const noexcept { return channels_; }
  [[nodiscard]] std::size_t points() const noexcept { return grid_.size(); }
  [[nodiscard]] std::size_t length(std::size_t item) const noexcept { return values_[item].size() / channels_; }
  [[nodiscard]] SeriesView<const double> series(std::size_t item) const noexcept {
    return {values_[item].data(), channels_, length(item)};
  }
  [[nodiscard]] std::span<const double> grid() const noexcept { return grid_; }
  [[nodiscard]] std::span<const double> times(std::size_t item) const noexcept { return times_[item]; }
  [[nodiscard]] const std::vector<double>* target() const noexcept { return target_.empty() ? nullptr : &target_; }
  /// Flags of the samples of a channel that are there; empty if all are.
  [[nodiscard]] std::span<const char> present(std::size_t item, std::size_t channel) const noexcept;
  /// Samples that are there, in all channels; of one case, or of all.
  [[nodiscard]] double present_samples(std::size_t item) const noexcept { return present_samples_[item]; }
  [[nodiscard]] double present_samples() const noexcept;

 private:
  std::size_t channels_;
  std::vector<double> grid_;
  std::vector<std::vector<double>> values_;
  std::vector<std::vector<double>> times_;
  std::vector<std::vector<char>> present_;  // (channels, length), or empty
  std::vector<double> present_samples_;
  std::vector<double> target_;
};

class MixedCriterion final : public Criterion {
 public:
  /// Costs are in units of `scale`, the variance of the series.
  MixedCriterion(const MixedSeries& series, const MixedParameters& parameters, double scale, std::size_t cells,
                 bool zero_boundary, std::size_t threads);

  /// The residual of one case, its derivatives by the free velocities and the shape that gains multiply, not whitened,
  /// channel by channel: (channels * length, block_columns()). Missing samples hold zeros; what pads the rows is not
  /// written.
  void linearized_residual(const GroupState& state, std::size_t item, std::span<double> block) const;
  [[nodiscard]] std::size_t free_velocities() const noexcept { return free(); }
  [[nodiscard]] std::size_t shape_column() const noexcept { return 1 + free(); }
  [[nodiscard]] std::size_t block_columns() const noexcept { return kernels::padded(shape_column() + 1); }

 private:
  [[nodiscard]] bool compare(GroupState& state) const override;
  void add_normal_equations(const GroupState& state, std::size_t item, std::span<double> gradient,
                            std::span<double> hessian) const override;
  [[nodiscard]] double nanoseconds_per_case() const noexcept override;

  [[nodiscard]] bool fill_template(GroupState& state) const;
  void fill_positions(GroupState& state) const;
  /// The whitened square of a channel's residual without its gain, which it sets. `fitted` is the template in own time.
  [[nodiscard]] double whitened_square(std::size_t item, std::size_t channel, std::span<const double> fitted,
                                       double level, double& gain) const;
  [[nodiscard]] const Whitening& whitening(std::size_t item, std::size_t channel) const noexcept;

  const MixedSeries& series_;
  double scale_;
  double gain_ratio_;
  std::vector<std::shared_ptr<const Whitening>> whitenings_;  // (cases, channels)
  std::vector<std::size_t> first_position_;                   // of every case, in GroupState::positions
};

}  // namespace diffeo
