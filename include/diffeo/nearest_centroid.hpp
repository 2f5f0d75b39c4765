// Nearest-centroid classification: every class is represented by one series, its centroid, and a new series gets the
// class whose centroid is nearest.
//
// How good that is depends on how well one series stands for many, which is what aligning is about. Centroids are made
// in one of four ways:
//   MeanCentroids              the mean of a class, sample by sample (diffeo/euclidean_mean.hpp)
//   DbaOptions                 its DTW barycenter average (diffeo/dba.hpp)
//   SoftDtwBarycenterOptions   its soft-DTW barycenter (diffeo/soft_dtw_barycenter.hpp)
//   shared_ptr<Aligner>        fit fits the aligner to the training series, and centroids are the means of the classes
//                              after transform. What is compared is the aligner's `comparison` of a series, with the
//                              means of the classes after that: the aligned series, or more
// and compared in one of two:
//   euclidean   the mean of the squared differences over all samples and channels present in both
//   dtw         the squared DTW distance (diffeo/dtw.hpp)
// The default is euclidean for all of them: one distance, whatever the centroids. Barycenters made with DTW are better
// compared with dtw, by 0.09 in mean accuracy over 26 sets (docs/results/baselines.md).
//
//   NearestCentroid classifier(std::make_shared<JointAligner>());
//   classifier.fit(training);
//   double accuracy = classifier.score(test);
//
//   * classes are those that have training cases, in the order of the training set's names; ties go to the first
//   * all centroids are equally long: `length` of the method, by default the longest training series. Where series are
//     compared as euclidean, others are resampled to that length (diffeo/prepare.hpp), so that time is relative; dtw
//     takes every length as it is
//   * missing values are left out of means and of euclidean differences. DBA, soft-DTW and dtw refuse them
//   * an aligner is held, not copied: fit changes it, and nobody else may while it is used here
//   * the same results for any number of threads
//   * O(cases channels length) for means; predicting O(classes channels length) a series, with dtw times the length
//   * std::invalid_argument for a training set without cases or labels; for infinite values; for series with another
//     number of channels than those of fit; for a series that shares no sample with any centroid; before fit
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
  std::size_t length = 0;  ///< of the centroids; 0 means the longest training series'
};

/// How centroids are made. A start of one's own (`initial`) is refused: it would be the same for every class.
using CentroidMethod = std::variant<MeanCentroids, DbaOptions, SoftDtwBarycenterOptions, std::shared_ptr<Aligner>>;

struct NearestCentroidOptions {
  CentroidDistance distance = CentroidDistance::euclidean;
  WarpingWindow window = {};  ///< of the dtw distance; that of DBA is in DbaOptions
  std::size_t threads = 0;    ///< 0 means all the cores the process may use
  /// Called by the calling thread every fraction of a second while dtw distances are computed; what it throws ends that.
  std::function<void()> between = {};
};

class NearestCentroid {
 public:
  explicit NearestCentroid(CentroidMethod method = MeanCentroids{}, NearestCentroidOptions options = {});

  /// A classifier with centroids that were made before: one labelled case per class, equally long. With an aligner,
  /// which must be fitted, they are means of its `comparison`. Without a spread, everything but `probabilities` works
  /// as after fit: how far training series lie from their centroids is not known.
  [[nodiscard]] static NearestCentroid from_centroids(Dataset centroids, std::shared_ptr<Aligner> aligner = nullptr,
                                                      NearestCentroidOptions options = {},
                                                      std::optional<double> spread = {});

  void fit(const Dataset& training);

  /// One case per class, labelled with its name; class k of `predict` is case k.
  [[nodiscard]] const Dataset& centroids() const;
  [[nodiscard]] const std::vector<std::string>& class_names() const { return centroids().class_names(); }

  /// The mean squared distance of the training series to the centroids of their own classes; none where it is not
  /// known.
  [[nodiscard]] std::optional<double> spread() const { return spread_; }

  /// (cases, classes): how far from every centroid, in the sense of `distance` above; infinite where a series shares no
  /// sample with a centroid.
  [[nodiscard]] Matrix squared_distances(const Dataset& series) const;
  /// The number of the nearest centroid's class, for every series. Labels are not looked at.
  [[nodiscard]] std::vector<std::size_t> predict(const Dataset& series) const;
  /// (cases, classes): exp(-distance^2 / (2 spread)), made to sum to 1 in every row, where `spread` is the mean squared
  /// distance of the training series to the centroids of their own classes. A soft version of `predict` that does not
  /// depend on the unit of the values, not a calibrated probability. Where the spread is 0 (each class a single series)
  /// the nearest class has 1. std::invalid_argument after from_centroids.
  [[nodiscard]] Matrix probabilities(const Dataset& series) const;
  /// The fraction of the series whose class is predicted; a label that no training case had counts as a miss.
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
  Dataset compared_centroids_;           // the same where there is no aligner
  std::optional<std::size_t> channels_;  // of the series that fit saw
  std::optional<double> spread_;
};

}  // namespace diffeo
