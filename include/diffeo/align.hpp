// Aligns a set of series jointly, with one warp per series.
//
//   const Alignment alignment = align(series);
//   // alignment.aligned: the series in common time; alignment.mean: their mean, no longer blurred
//
// AlignOptions::criterion selects the cost (diffeo/align_options.hpp); the template is the mean of the aligned
// series. With labels, every class is aligned separately.
//
//   * no drift: warping all series alike does not measurably change the cost. So every step keeps the mean velocity
//     field of a class at exactly zero: on average the warps are the identity, to first order in their size
//   * `align_to` aligns to fixed templates instead: common time is theirs, and nothing is centered
//   * lengths may differ: each series lasts from 0 to 1. Missing values are ignored: an aligned value is
//     missing if the series is missing there, and the mean uses the present values
//   * a single series, or a class of one, is its own mean; equal series and constant ones do not change
//   * several starts, one of them by dynamic programming; `quality` tells which series may still be wrong
//   * bit-identical for any number of threads
//   * O(cases * length * cells^2) per step, typically 100 to 200 steps
//   * std::invalid_argument for no series, infinite values, and series without any value
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "diffeo/align_options.hpp"
#include "diffeo/case_quality.hpp"
#include "diffeo/dataset.hpp"
#include "diffeo/matrix.hpp"

namespace diffeo {

/// The model that criterion "mixed" fitted to a class. Variances are relative to that of the series over time.
struct AlignmentModel {
  double noise = 0;              ///< variance of the noise; 0: another criterion was used
  double height_ratio = 0;       ///< variance of heights over that of the noise
  double gain_ratio = 0;         ///< variance of gains, by which a series is taller as a whole, over that of the noise
  double warp_ratio = 0;         ///< variance of velocities over that of the noise
  double warp_length_scale = 0;  ///< of the prior of the warps, as a fraction of the duration
  double height_length_scale = 0;  ///< of the heights
  double scale = 1;                ///< variance of the series over time
};

/// Result and history of one class.
struct ClassAlignment {
  std::string name;            ///< empty without labels
  double variance_before = 0;  ///< within_variance of the class, before and after
  double variance = 0;
  double cost = 0;
  bool converged = false;
  AlignmentModel model;
  std::vector<AlignStep> history;
};

struct Alignment {
  Dataset aligned;                      ///< (cases, channels, length), labels as given
  Dataset mean;                         ///< one labeled case per class with series; a single case without labels
  Matrix velocities;                    ///< (cases, cells + 1): aligned = warp(series, velocities)
  std::vector<CaseQuality> quality;     ///< of every case: diffeo/case_quality.hpp
  std::vector<ClassAlignment> classes;  ///< in the order of `mean`
};

[[nodiscard]] Alignment align(const Dataset& series, const AlignOptions& options = {});

/// Every series to a template: one case for all, or one labeled case for every class of the series. `mean` is that of
/// the aligned series, `quality` compares with the template, and the length is by default that of the templates.
/// std::invalid_argument also for templates of different lengths or other channels, and for a class without one.
[[nodiscard]] Alignment align_to(const Dataset& series, const Dataset& templates, const AlignOptions& options = {});

}  // namespace diffeo
