// A set of series aligned to each other: every series its own warp, all at once.
//
//   const Alignment alignment = align(series);
//   // alignment.aligned: the series in common time; alignment.mean: their mean, sharp where the raw ones' is mush
//
// Minimises the sum over the series of the cost in diffeo/align_options.hpp, with the mean of the aligned series for a
// template, over all warps and the mean. With labels every class is aligned by itself.
//
//   * no drift: warping all series alike changes nothing that could be measured, so the velocity fields of a class are
//     kept at mean zero, exactly, in every step: on average the warps are the identity, to first order in their size
//   * lengths may differ: each series lasts from 0 to 1. Missing values are ignored, not invented: an aligned value is
//     missing where the series is, and the mean is that of the values present
//   * one series, or a class of one, is its own mean; equal series and constant ones stay as they are
//   * a local minimum, as for align_pair; the same bits for any number of threads
//   * O(cases * length * cells^2) a step, typically 30 to 80 steps
//   * std::invalid_argument for no series, infinite values, and a series without any value
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "diffeo/align_options.hpp"
#include "diffeo/dataset.hpp"
#include "diffeo/matrix.hpp"

namespace diffeo {

/// How the alignment of one class went.
struct ClassAlignment {
  std::string name;            ///< empty where there are no labels
  double variance_before = 0;  ///< within_variance of the class, before and after
  double variance = 0;
  double cost = 0;
  bool converged = false;
  std::vector<AlignStep> history;
};

struct Alignment {
  Dataset aligned;                      ///< (cases, channels, length), labels as given
  Dataset mean;                         ///< one case per class that has series, labelled; one without labels otherwise
  Matrix velocities;                    ///< (cases, cells + 1): aligned is warp(series, velocities)
  std::vector<ClassAlignment> classes;  ///< in the order of `mean`
};

[[nodiscard]] Alignment align(const Dataset& series, const AlignOptions& options = {});

}  // namespace diffeo
