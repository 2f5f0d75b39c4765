// What a network can be taught: the warps that align (diffeo/align.hpp) finds for training series.
//
// align brings the series of every class into common time: aligned_i = series_i o phi_i. A network that learns these
// warps by heart has seen every shape at one speed only. But with phi_i known, any other warp psi makes a lesson of the
// same series,
//
//   lesson = series_i o phi_i o psi^{-1},     whose warp into common time is psi,
//
// and psi is drawn as the warps of the class are: one of them, or cos(a) v_j + sin(a) v_k of two, which has the same mean
// and variance. So n series make n^2 lessons and more, each with the truth known. A network taught this way aligns new
// series better than the aligner that taught it (docs/decisions.md, "Training").
//
//   * if align finds less than half of its warps reliable (diffeo/case_quality.hpp), no warp is what is taught
//   * series without labels are one class. Warps are centered: their velocities sum to zero in every class
//   * of a class with more than kMostTaught series, so many are taken at random; the others make no lessons
//   * in a group the first process aligns, and tells the others the warps; the series taken are told to all
//   * the same seed gives the same warps and lessons, for any number of threads and processes
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "diffeo/dataset.hpp"
#include "diffeo/matrix.hpp"
#include "diffeo/random.hpp"
#include "series_batches.hpp"
#include "shared_set.hpp"

namespace diffeo {

inline constexpr std::size_t kMostTaught = 256;

/// Series made of those of a batch, and the warps that align them: both have the rows that this process has.
struct Lessons {
  Dataset series;     ///< each as long as the one it was made of
  Matrix velocities;  ///< (cases, cells + 1)
};

class Teacher {
 public:
  struct Settings {
    bool zero_boundary = true;
    std::uint64_t seed = 0;
    std::size_t threads = 1;
    /// Asked between steps of the alignment; true gives it up. None: never.
    std::function<bool()> stop = {};
  };

  /// labels: of all cases, numbers below the number of classes. Channels are aligned in the units of `normalization`.
  Teacher(const SharedSet& set, const Normalization& normalization, std::span<const std::int64_t> labels,
          const Settings& settings);

  /// Whether the warp of a case is known.
  [[nodiscard]] bool teaches(std::size_t item) const noexcept { return rows_[item] != kNotTaught; }
  /// The mean square of how far the known warps move points, as a fraction of the duration; 1 if they move nothing.
  [[nodiscard]] double mean_square_displacement() const noexcept { return mean_square_displacement_; }

  /// own: the series of this process by any features, whose channels from `first_slope` on are slopes. Every case of the
  /// batch is one that it teaches(). Random numbers are drawn for the whole batch: a case has the same lesson whichever
  /// process holds it.
  [[nodiscard]] Lessons lessons(const Dataset& own, std::size_t first_slope, std::span<const std::size_t> batch,
                                const BatchShare& share, Random& random) const;

 private:
  void choose(std::span<const std::int64_t> labels, std::uint64_t seed);
  [[nodiscard]] Dataset gathered(const SharedSet& set, const Normalization& normalization) const;
  [[nodiscard]] std::vector<double> drawn_velocities(std::size_t item, Random& random) const;

  static constexpr std::size_t kNotTaught = std::numeric_limits<std::size_t>::max();

  std::vector<std::size_t> items_;                 // that have a known warp, ascending
  std::vector<std::size_t> rows_;                  // of every case in velocities_, or kNotTaught
  std::vector<std::vector<std::size_t>> classes_;  // rows of every class
  std::vector<std::size_t> class_of_row_;
  Matrix velocities_;
  double mean_square_displacement_ = 1.0;
};

}  // namespace diffeo
