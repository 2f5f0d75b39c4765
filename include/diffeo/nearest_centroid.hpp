// Nearest-centroid classification: one series, the centroid, represents every class, and a new series gets the
// class of the nearest centroid.
//
// Its quality depends on how well one series represents many, so alignment helps. There are four kinds of centroids:
//   MeanCentroids              the mean of a class, sample by sample (diffeo/euclidean_mean.hpp)
//   DbaOptions                 its DTW barycenter average (diffeo/dba.hpp)
//   SoftDtwBarycenterOptions   its soft-DTW barycenter (diffeo/soft_dtw_barycenter.hpp)
//   shared_ptr<Aligner>        fit fits the aligner to the training series, and centroids are the class means after
//                              transform. Distances are computed on the aligner's `comparison` of a series and the
//                              class means of it: the aligned series, or more features
// and two distances:
//   euclidean   the mean of the squared differences over all samples and channels present in both
//   dtw         the squared DTW distance (diffeo/dtw.hpp)
// The default is dtw for DTW barycenters, which gains 0.09 in mean accuracy over 26 sets (docs/results/baselines.md),
// and euclidean for the others.
//
//   NearestCentroid classifier(std::make_shared<JointAligner>());
//   classifier.fit(training);
//   double accuracy = classifier.score(test);
//
//   * classes are those with training cases, in the order of the training set's names; ties go to the first
//   * all centroids are equally long: `length` of the method, by default that of the longest training series. For the
//     euclidean distance, series of other lengths are resampled to it (diffeo/prepare.hpp), so time is relative; dtw
//     accepts any length
//   * means and euclidean differences ignore missing values. DBA, soft-DTW and dtw refuse them
//   * an aligner is shared, not copied: fit changes it, and nothing else may change it while it is used here
//   * bit-identical for any number of threads
//   * O(cases channels length) for means; predicting O(classes channels length) per series, with dtw times the length
//   * std::invalid_argument for a training set without cases or labels, infinite values, another number of channels
//     than in fit, a series that shares no sample with any centroid, and calls before fit
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "diffeo/aligner.hpp"
#include "diffeo/dataset.hpp"
#include "diffeo/dba.hpp"
#include "diffeo/matrix.hpp"
#include "diffeo/soft_dtw_barycenter.hpp"
#include "diffeo/warping_window.hpp"

namespace diffeo {

enum class CentroidDistance { euclidean, dtw };

struct MeanCentroids {
  std::size_t length = 0;  ///< of the centroids; 0: that of the longest training series
};

/// How centroids are computed. Your own start (`initial`) is refused, because it would be the same for every class.
using CentroidMethod = std::variant<MeanCentroids, DbaOptions, SoftDtwBarycenterOptions, std::shared_ptr<Aligner>>;

struct NearestCentroidOptions {
  std::optional<CentroidDistance> distance = {};  ///< empty: dtw for DBA and soft-DTW, else euclidean
  WarpingWindow window = {};                      ///< of the dtw distance; DbaOptions has the window of DBA
  std::size_t threads = 0;                        ///< 0: all cores the process may use
  /// Called regularly from the calling thread while dtw distances are computed; an exception from it ends that.
  std::function<void()> between = {};
};

class NearestCentroid {
 public:
  explicit NearestCentroid(CentroidMethod method = MeanCentroids{}, NearestCentroidOptions options = {});

  /// A classifier with existing centroids: one labeled case per class, of equal length. With an aligner,
  /// which must be fitted, they are means of its `comparison`. The spread is the distance of the training series from
  /// their centroids; without it, everything but `probabilities` works as after fit.
  [[nodiscard]] static NearestCentroid from_centroids(Dataset centroids, std::shared_ptr<Aligner> aligner = nullptr,
                                                      NearestCentroidOptions options = {},
                                                      std::optional<double> spread = {});

  void fit(const Dataset& training);

  /// One case per class, labeled with its name; class k of `predict` is case k.
  [[nodiscard]] const Dataset& centroids() const;
  [[nodiscard]] const std::vector<std::string>& class_names() const { return centroids().class_names(); }

  /// The mean squared distance of the training series to the centroids of their own classes; empty if unknown.
  [[nodiscard]] std::optional<double> spread() const { return spread_; }

  /// (cases, classes): the `distance` from every centroid; infinite if a series shares no sample with a centroid.
  [[nodiscard]] Matrix squared_distances(const Dataset& series) const;
  /// The class number of the nearest centroid, for every series. Ignores labels.
  [[nodiscard]] std::vector<std::size_t> predict(const Dataset& series) const;
  /// (cases, classes): exp(-distance^2 / (2 spread)), normalized to sum to 1 in every row. `spread` is the mean squared
  /// distance of the training series to the centroids of their own classes. A soft version of `predict`, independent of
  /// the unit of the values; not a calibrated probability. If the spread is 0 (each class a single series),
  /// the nearest class has 1. std::invalid_argument after from_centroids.
  [[nodiscard]] Matrix probabilities(const Dataset& series) const;
  /// The fraction of correctly predicted series; a label without training cases counts as a miss.
  /// std::invalid_argument for a set without cases or labels.
  [[nodiscard]] double score(const Dataset& series) const;

 private:
  void require_fitted() const;
  [[nodiscard]] const Aligner* aligner() const noexcept;
  [[nodiscard]] Dataset compared(const Dataset& series) const;
  [[nodiscard]] Matrix distances_of_compared(const Dataset& series) const;
  [[nodiscard]] Matrix dtw_distances(const Dataset& series) const;
  [[nodiscard]] double spread_of(const Dataset& training) const;

  CentroidMethod method_;
  NearestCentroidOptions options_;
  Dataset centroids_;
  Dataset compared_centroids_;           // the same without an aligner
  std::optional<std::size_t> channels_;  // in fit
  std::optional<double> spread_;
};

}  // namespace diffeo
