// Series with known true times: shapes that differ in height, width and noise, each with its own timing.
//
//   series_i(x) = shape_i(W_i(x)) + noise,   x = j / (length_i - 1)
//
// shape_i is the template with individual heights and widths; W_i increases strictly from W_i(0) = 0 to W_i(1) = 1.
// Series i is read along phi_i. The series are aligned if W_i o phi_i is the same for all i. true_time_spread
// (diffeo/alignment_quality.hpp) measures that.
//
// Kinds, with marks in parentheses:
//   two_peaks     Gaussians of sd 1/6 at 1/4 and 3/4 (both): the simulated set of the registration literature
//                 (Kneip and Ramsay 2008, Tucker et al. 2013), which uses the interval [-3, 3]
//   peaks         `peaks` narrow Gaussians, one in the middle half of each of as many equal parts (all); sd 0.1 to 0.2
//                 of a part, heights 0.5 to 1
//   narrow_peaks  Gaussians of sd 0.03 at 0.35 and 0.6 (both)
//   beats         a heartbeat in an electrocardiogram: P, Q, R, S and T waves (all five). The R wave's height is 0.3 to
//                 3, log-uniform, and independent of `height`
//   steps         a level that changes twice, with ringing after the first change and long constant parts (both
//   changes)
//
// Families of warps. All but `moves` have one strength per set, such that the largest |W_i(x) - x| over all
// cases and 1001 equally spaced x is `displacement`, to a relative 1e-6:
//   flow          of a random CPA velocity field: 16 cells, drawn from Prior with length scale 0.1
//   exponential   (e^{a x} - 1) / (e^a - 1), a equally spaced from -A to A in the order of the cases (one case: a = A).
//                 A displacement of 0.1233 means A = 1
//   fourier       the normalized integral of exp(g), g a random Fourier series of 4 periods with weights 1 / period
//   logistic      x e^s / (1 - x + x e^s), s uniform in [-S, S)
//   moves         every mark moves by its own uniform amount, at most `displacement`. W_i has slope 1 within 0.06 of a
//                 mark and is linear in between. Marks stay in order, 0.12 apart and 0.08 from the ends. No CPA flow
//                 with few cells equals it. Only for kinds with marks that far apart: narrow_peaks, two_peaks, steps
//
//   * the same seed gives the same series: all draws come from diffeo::Random. Warps depend only on seed, cases,
//     family, displacement and kind; the template on seed, kind, peaks and channels; heights and widths not on noise
//   * channels share the warp and the marks. Channels after the first have their own heights, uniform in
//     [-1, 1), and centers moved by up to half a width
//   * every case has the label "1"
//   * O(values); one thread
//   * std::invalid_argument for options out of range, and for a displacement that the drawn warps cannot reach
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "diffeo/dataset.hpp"
#include "diffeo/matrix.hpp"

namespace diffeo {

enum class WarpedKind { two_peaks, peaks, narrow_peaks, beats, steps };
enum class WarpFamily { flow, exponential, fourier, logistic, moves };

/// "two-peaks", "peaks", "narrow-peaks", "beats", "steps": in the order of WarpedKind.
[[nodiscard]] const std::vector<std::string_view>& warped_kind_names();
/// "flow", "exponential", "fourier", "logistic", "moves": in the order of WarpFamily.
[[nodiscard]] const std::vector<std::string_view>& warp_family_names();
/// The inverse of the above; std::invalid_argument for an unknown name.
[[nodiscard]] WarpedKind warped_kind(std::string_view name);
[[nodiscard]] WarpFamily warp_family(std::string_view name);

struct WarpedOptions {
  WarpFamily family = WarpFamily::flow;
  double displacement = 0.2;  ///< the largest |W_i(x) - x|, as a fraction of the length; from 0 to 0.5
  double height = 0;          ///< standard deviation of the height factors, whose mean is 1
  double width = 0;           ///< standard deviation of the logarithm of the width factors
  double noise = 0;           ///< standard deviation of the white noise; the template's tallest part has height 1
  std::size_t length = 128;   ///< of the longest possible series, at least 2
  double length_spread = 0;   ///< lengths are uniform from (1 - length_spread) * length to length; 0 to 0.9
  double missing = 0;         ///< fraction of each series that is missing (NaN), in one stretch; 0 to 0.5
  std::size_t channels = 1;   ///< at least 1
  std::size_t peaks = 5;      ///< for the kind `peaks`, at least 1
};

/// two_peaks: 101 samples, exponential, a from -1 to 1, height 0.25. narrow_peaks: 256 samples, moves, 0.3. beats: 256
/// samples, logistic, 0.1 (0.2 between two series), height 0.1, noise 0.01. peaks, steps: as in WarpedOptions, with
/// height 0.25 and width 0.1 for peaks.
[[nodiscard]] WarpedOptions default_warped_options(WarpedKind kind);

struct WarpedSeries {
  Dataset dataset;
  Matrix warps;           ///< (cases, 201): W_i at equally spaced x
  Matrix marks;           ///< (cases, marks): positions of the template's marks in series i, W_i^{-1}(mark)
  Dataset template_case;  ///< one case of `length`: without warp, noise and variation
  std::vector<double> template_marks;
};

[[nodiscard]] WarpedSeries generate_warped(WarpedKind kind, std::size_t cases, std::uint64_t seed,
                                           const WarpedOptions& options);
/// With default_warped_options(kind).
[[nodiscard]] WarpedSeries generate_warped(WarpedKind kind, std::size_t cases, std::uint64_t seed);

}  // namespace diffeo
