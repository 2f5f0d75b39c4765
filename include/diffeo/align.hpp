// A set of series aligned to each other: every series its own warp, all at once.
//
//   const Alignment alignment = align(series);
//   // alignment.aligned: the series in common time; alignment.mean: their mean, sharp where the raw ones' is mush
//
// What is made small is decided by AlignOptions::criterion (diffeo/align_options.hpp), with the mean of the aligned
// series for a template. With labels every class is aligned by itself.
//
//   * no drift: warping all series alike changes nothing that could be measured, so the velocity fields of a class are
//     kept at mean zero, exactly, in every step: on average the warps are the identity, to first order in their size
//   * lengths may differ: each series lasts from 0 to 1. Missing values are ignored, not invented: an aligned value is
//     missing where the series is, and the mean is that of the values present
//   * one series, or a class of one, is its own mean; equal series and constant ones stay as they are
//   * several starts, one of them by dynamic programming; `quality` says which series may still be wrong
//   * the same bits for any number of threads
//   * O(cases * length * cells^2) a step, typically 100 to 200 steps
//   * std::invalid_argument for no series, infinite values, and a series without any value
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "diffeo/align_options.hpp"
#include "diffeo/case_quality.hpp"
#include "diffeo/dataset.hpp"
#include "diffeo/matrix.hpp"

namespace diffeo {

/// What criterion "mixed" found out about a class; variances relative to that of the series over time.
struct AlignmentModel {
  double noise = 0;                ///< variance of the noise; 0: the class was aligned by another criterion
  double height_ratio = 0;         ///< variance of heights over that of the noise
  double warp_ratio = 0;           ///< variance of velocities over that of the noise
  double warp_length_scale = 0;    ///< of the prior of warps, as a fraction of the duration
  double height_length_scale = 0;  ///< of the heights
  double scale = 1;                ///< variance of the series over time
};

/// How the alignment of one class went.
struct ClassAlignment {
  std::string name;            ///< empty where there are no labels
  double variance_before = 0;  ///< within_variance of the class, before and after
  double variance = 0;
  double cost = 0;
  bool converged = false;
  AlignmentModel model;
  std::vector<AlignStep> history;
};

struct Alignment {
  Dataset aligned;                      ///< (cases, channels, length), labels as given
  Dataset mean;                         ///< one case per class that has series, labelled; one without labels otherwise
  Matrix velocities;                    ///< (cases, cells + 1): aligned is warp(series, velocities)
  std::vector<CaseQuality> quality;     ///< of every case: diffeo/case_quality.hpp
  std::vector<ClassAlignment> classes;  ///< in the order of `mean`
};

[[nodiscard]] Alignment align(const Dataset& series, const AlignOptions& options = {});

}  // namespace diffeo
