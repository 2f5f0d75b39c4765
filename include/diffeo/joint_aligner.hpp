// An aligner without a network: what align learns from one set of series, used on others.
//
//   JointAligner aligner;
//   aligner.fit(training);                            // align: one mean per class
//   const Dataset aligned = aligner.transform(fresh);  // every series aligned to the mean it fits best
//
// A new series has no label, so with several classes it is aligned to the mean of every class, by what fit learned of
// the class's heights, noise and warps, and the most likely warp is kept. That is a guess at the class; where classes
// differ in their timing alone it can hide the difference.
//
//   * fit: as align. transform: O(cases * classes) pair alignments; the same bits for any number of threads
//   * all series, training and new, come out in the length of the means
//   * errors as in diffeo/aligner.hpp, and for series without any value or with infinite ones
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>

#include "diffeo/align.hpp"
#include "diffeo/align_options.hpp"
#include "diffeo/aligner.hpp"
#include "diffeo/matrix.hpp"

namespace diffeo {

class JointAligner final : public Aligner {
 public:
  /// std::invalid_argument for options out of range.
  explicit JointAligner(AlignOptions options = {});

  /// As fitted: new series are aligned to `means` by the models of their classes, one each.
  JointAligner(AlignOptions options, Dataset means, std::span<const AlignmentModel> models);

  void fit(const Dataset& training) override;
  [[nodiscard]] Dataset transform(const Dataset& series) const override;

  /// The warps that transform uses: (cases, cells + 1) velocities. `threads`, where given, instead of those of the
  /// options. `between` is called by the calling thread every fraction of a second; what it throws ends the work.
  [[nodiscard]] Matrix velocities(const Dataset& series, std::optional<std::size_t> threads = {},
                                  const std::function<void()>& between = {}) const;
  /// `series` warped by `velocities` to the length of the means; `threads` as above.
  [[nodiscard]] Dataset warped(const Dataset& series, const Matrix& velocities,
                               std::optional<std::size_t> threads = {}) const;

  [[nodiscard]] const AlignOptions& options() const noexcept { return options_; }
  /// What fit found; without cases before it.
  [[nodiscard]] const Alignment& alignment() const noexcept { return alignment_; }

 private:
  void require_fitted(const Dataset& series) const;

  AlignOptions options_;
  Alignment alignment_;
};

}  // namespace diffeo
