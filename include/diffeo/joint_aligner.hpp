// An aligner without a network: applies what align learns from one set of series to others.
//
//   JointAligner aligner;
//   aligner.fit(training);                            // align: one mean per class
//   const Dataset aligned = aligner.transform(fresh);  // every series aligned to the mean it fits best
//
// A new series has no label. With several classes it is therefore aligned to the mean of every class, with the model of
// the class's heights, noise and warps, and the most likely warp is kept. This is a guess of the class; if classes
// differ only in their timing, it can hide the difference.
//
//   * with templates, one for all or a labeled one for every class, series are aligned to these instead of their means
//   * fit: as align. transform: O(cases * classes) pair alignments; bit-identical for any number of threads
//   * all series, training and new, get the length of the means: by default that of the longest, or of the templates
//   * a file has everything that fit learned and the options, but for threads and progress. It is a safetensors file
//     (diffeo/tensor_file.hpp) with the metadata format, "diffeo joint aligner", and model, a JSON description; numbers
//     are stored bit for bit. FileError for a file that is damaged, is something else, or comes from a newer diffeo.
//     Of the training series it has the warps, not the aligned series
//   * everything diffeo/warping_aligner.hpp says; errors also for infinite values and series without any value
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "diffeo/align.hpp"
#include "diffeo/align_options.hpp"
#include "diffeo/matrix.hpp"
#include "diffeo/warping_aligner.hpp"

namespace diffeo {

struct TensorFile;

/// What a file says of itself as its "format".
inline constexpr const char* kJointAlignerFormat = "diffeo joint aligner";

class JointAligner final : public WarpingAligner {
 public:
  /// std::invalid_argument for options out of range. Without cases, `templates` are none.
  explicit JointAligner(AlignOptions options = {}, Dataset templates = Dataset());

  /// An already fitted aligner: new series are aligned to `means`, or to the templates, with the models of their
  /// classes, one each.
  JointAligner(AlignOptions options, Dataset means, std::span<const AlignmentModel> models,
               Dataset templates = Dataset());

  void fit(const Dataset& training) override;
  [[nodiscard]] Dataset transform(const Dataset& series) const override;
  [[nodiscard]] Dataset inverse_transform(const Dataset& aligned, const Dataset& series) const override;
  [[nodiscard]] Matrix warp_times(const Dataset& series, const Matrix& times, bool inverse = false) const override;

  /// std::invalid_argument before fit.
  void save(const std::filesystem::path& path) const;
  /// An aligner that works on that many threads; 0: all cores the process may use.
  [[nodiscard]] static JointAligner load(const std::filesystem::path& path, std::size_t threads = 0);

  /// The same in memory. Errors call the bytes `name`.
  [[nodiscard]] std::vector<std::byte> bytes() const;
  [[nodiscard]] static JointAligner from_bytes(std::span<const std::byte> bytes, std::size_t threads = 0,
                                               const std::string& name = "memory");

  /// The warps that transform uses: (cases, cells + 1) velocities. `threads`, if given, overrides the
  /// options. `between` is called regularly from the calling thread; an exception from it ends the work.
  [[nodiscard]] Matrix velocities(const Dataset& series, std::optional<std::size_t> threads = {},
                                  const std::function<void()>& between = {}) const;
  /// `series` warped by `velocities` to the length of the means; `threads` as above.
  [[nodiscard]] Dataset warped(const Dataset& series, const Matrix& velocities,
                               std::optional<std::size_t> threads = {}) const;

  [[nodiscard]] const AlignOptions& options() const noexcept { return options_; }
  /// Without cases if there are none.
  [[nodiscard]] const Dataset& templates() const noexcept { return templates_; }
  /// The result of fit; without cases before fit.
  [[nodiscard]] const Alignment& alignment() const noexcept { return alignment_; }

 private:
  [[nodiscard]] static JointAligner decoded(const TensorFile& file, std::size_t threads, const std::string& name);
  void require_fitted(const Dataset& series) const;
  void find_velocities(SeriesView<const double> own, const AlignOptions& options, std::span<double> velocities) const;
  [[nodiscard]] SeriesView<const double> target(std::size_t number) const;

  AlignOptions options_;
  Dataset templates_;
  Alignment alignment_;
};

}  // namespace diffeo
