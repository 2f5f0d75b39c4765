// Generated series: two sets that the literature has used for decades, and one with known warps, for measuring the
// quality of an alignment.
//
// Cylinder-bell-funnel (Saito, "Local feature extraction and its applications using a library of bases", 1994), for
// t = 1 .. length:
//   "1" cylinder   (6 + eta) [a <= t <= b]                     + eps(t)
//   "2" bell       (6 + eta) [a <= t <= b] (t - a) / (b - a)   + eps(t)
//   "3" funnel     (6 + eta) [a <= t <= b] (b - t) / (b - a)   + eps(t)
// eta and eps(t) are standard normal; a is uniform among the integers 16 .. 32 and b - a among 32 .. 96 for the
// published length of 128, and proportional (rounded down) for others.
//
// Synthetic control charts (Alcock and Manolopoulos, "Time-series similarity queries employing a feature-based
// approach", 1999), for t = 1 .. length, published length 60, m = 30, s = 2, r(t) uniform in [-3, 3):
//   "1" normal            m + s r(t)
//   "2" cyclic            m + s r(t) + a sin(2 pi t / T)    a and T uniform in [10, 15)
//   "3" increasing        m + s r(t) + g t                  g uniform in [0.2, 0.5)
//   "4" decreasing        m + s r(t) - g t
//   "5" upward shift      m + s r(t) + x [t >= t3]          x uniform in [7.5, 20), t3 in [length / 3, 2 length / 3)
//   "6" downward shift    m + s r(t) - x [t >= t3]
//
// Bumps: every class has a smooth template; a case is its class's template with its own timing and noise:
//   series_i(x) = template_class(i)(phi_i(x)) + noise,   x = j / (length - 1)
// so series_i o phi_i^{-1} is the template again (up to noise), and phi_i^{-1} is the flow for time -1. See
// generate_bumps.
//
//   * labels are those of the UCR archive, "1", "2", ...; case i has class i modulo the number of classes. Nothing is
//     z-normalized (the archive's files are): see diffeo/prepare.hpp
//   * the same seed gives the same series. All draws come from diffeo::Random and are bit-identical on every machine;
//     sin and exp come from the math library, so values may differ between machines in the last bits
//   * O(values); one thread
//   * std::invalid_argument for options out of range
#pragma once

#include <cstddef>
#include <cstdint>

#include "diffeo/dataset.hpp"
#include "diffeo/matrix.hpp"

namespace diffeo {

/// Cylinder-bell-funnel; length at least 8.
[[nodiscard]] Dataset generate_cbf(std::size_t cases, std::uint64_t seed, std::size_t length = 128);

/// Synthetic control charts; length at least 3. Cycles and trends are measured in time steps for every length.
[[nodiscard]] Dataset generate_synthetic_control(std::size_t cases, std::uint64_t seed, std::size_t length = 60);

struct BumpsOptions {
  std::size_t classes = 3;
  std::size_t channels = 1;    ///< the channels of a case share its warp
  std::size_t length = 128;    ///< at least 2
  std::size_t bumps = 5;       ///< Gaussian bumps in a channel of a template, at least 1
  std::size_t cells = 16;      ///< of the velocity fields, at least 2
  double length_scale = 0.1;   ///< of the prior of the warps
  double displacement = 0.10;  ///< largest shift by a warp, as a fraction of the length; from 0 to 0.3
  double noise = 0.05;         ///< standard deviation of the white noise, as a fraction of the templates' amplitude
};

struct Bumps {
  Dataset dataset;    ///< labels "1", "2", ...
  Matrix velocities;  ///< (cases, cells + 1): the true warps phi_i, zero at both ends
  Dataset templates;  ///< without warp and noise: one case per class, in the order of the labels
};

/// Templates of Gaussian bumps, warped by flows of known velocities, with noise.
///
///   * a channel of a template is the sum of `bumps` Gaussians: one in each of that many equal parts of the length,
///     its center uniform in the middle half of the part; standard deviations uniform in [0.25, 0.5) of a part;
///     heights uniform in [0.5, 1), with alternating signs. The sum is scaled to a largest magnitude of 1
///   * velocities are drawn from Prior(WarpSpace(cells), length_scale) and multiplied by one factor for the whole set
///     (so the prior's variance has no effect), such that the largest |phi_i(x) - x| over all cases and x
///     (1001 equally spaced) is `displacement`: never more, and to a relative 1e-6. If zeros of the velocities keep
///     the warps from reaching it (a single case and a large displacement): std::invalid_argument
///   * templates are computed at phi_i(x) by their formula, without interpolation error
///   * the templates depend only on seed, classes, channels and bumps; the warps do not depend on length and noise
[[nodiscard]] Bumps generate_bumps(std::size_t cases, std::uint64_t seed, const BumpsOptions& options = {});

}  // namespace diffeo
