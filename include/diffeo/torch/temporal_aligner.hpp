// An aligner with a network: it learns from a training set how to warp series into common time, and then warps new ones
// in one pass.
//
//   TemporalAligner aligner(options, seed);
//   aligner.fit(training);                    // labels, where there are any, are used here only
//   Dataset aligned = aligner.transform(test);
//   aligner.save("gestures.safetensors");
//
// A model has several members: temporal transformers (diffeo/torch/temporal_transformer.hpp), each trained by itself
// with a loss of its own, on values, slopes or both (member_loss of diffeo/training_options.hpp). Training minimizes
// the losses of diffeo/torch/losses.hpp, in units in which each channel of the training set has mean 0 and standard
// deviation 1; a loss of `warps` teaches the warps that diffeo::align finds for the training series.
//
//   one member aligns (aligning_member)   transform, warps and centroids are its, with the warp at time `shrinkage` (1
//                                         is the warp as trained, 0 none). With `centered`, its mean warp over the
//                                         training set is the identity
//   the others compare                    `comparison` has what each member that tells classes apart sees of a series,
//                                         as it warps it; of all members if none does. Members count alike: the mean
//                                         squared distance of training series to the means of their classes is 1.
//                                         A member that recognizes classes adds their probabilities, as a channel
//                                         that has them at its first steps: made for the Euclidean distance
//                                         Every member has a common time of its own, so warps cannot be averaged, but
//                                         distances to centroids can be added up
//
// Without classes to tell apart, members that align are the only ones that train.
//
//   * everything WarpingAligner says; series may differ in length and have missing values
//   * the same seed, data, options and threads give the same model, bit for bit. Members train beside each other on the
//     threads there are, and each on its share: with no more threads than members, the number does not matter
//   * with a checkpoint directory in FitControl, training can be killed at any moment and goes on from its last
//     checkpoint with resume; the model is the same, bit for bit, as if nothing had happened. Another training set,
//     seed or other options than the checkpoint's: std::invalid_argument
//   * interrupted by FitControl::stop: Interrupted, after a checkpoint of every member
//   * a failure before any member has a checkpoint leaves no directory behind
//   * a loss that is not finite: NonFiniteLoss, which names the epoch, the term and the last good checkpoint
//   * with a group in FitControl, several processes train one aligner, each giving fit its own part of the series:
//     cases are numbered in turns, the first of every process, then the second of each. All give the same options and
//     seed, and come to the same model: that of one process with all series, up to rounding; the same bits where the
//     number of processes is the same. Members are trained one after the other. Every process knows labels and lengths
//     of all series and holds none but its own, and those of which others learn the warps; only the first uses the checkpoint. An error, or `stop`, in one of them
//     ends all: where another failed, FailedElsewhere
//   * memory: the training set as it is, and again by the features of members, one batch at a time as float, and the
//     networks
//   * after any of these, and after a failed load, the aligner is as it was before
//   * everything but fit uses as many threads as torch is told to; torch's generator and its number of threads are left
//     as they were
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "diffeo/dataset.hpp"
#include "diffeo/matrix.hpp"
#include "diffeo/torch/group.hpp"
#include "diffeo/training_options.hpp"
#include "diffeo/warping_aligner.hpp"

namespace diffeo {

/// One epoch of one member: terms of the loss before their weights, averaged over the epoch's steps.
struct EpochRecord {
  std::int64_t member = 0;  ///< from 0; those after the model's members held out a fold each, to choose the shrinkage
  std::int64_t epoch = 0;   ///< from 1
  double loss = 0.0;        ///< the weighted sum
  double warps = 0.0;       ///< squared distance to the warps taught, relative to their own size; 0 if not part of it
  double variance = 0.0;
  double slopes = 0.0;               ///< variance of slopes; 0 where it is not part of the loss
  double inverse_consistency = 0.0;  ///< 0 where it is not part of the loss
  double cross_entropy = 0.0;        ///< 0 where it is not part of the loss
  double recognition = 0.0;          ///< 0 where it is not part of the loss
  double prior = 0.0;
  double accuracy = 0.0;         ///< of nearest centroids on the epoch's training batches; 0 without labels
  double validation_loss = 0.0;  ///< 0 where nothing is held out
  double learning_rate = 0.0;

  bool operator==(const EpochRecord&) const = default;
};

/// What a callback hears after every epoch of every member.
struct FitProgress {
  EpochRecord record;
  std::int64_t members = 1;   ///< networks that are trained, those of the folds included
  std::int64_t epochs = 1;    ///< of this member
  double done = 0.0;          ///< part of all the work, from 0 to 1
  double seconds_left = 0.0;  ///< at the rate so far
};

/// How a fit is run, as opposed to what it computes. Both functions are called on the thread that called fit, which
/// itself does not train: they may take locks, print and throw; what they throw interrupts as `stop` does.
struct FitControl {
  std::filesystem::path checkpoint = {};  ///< a directory, made by fit; empty keeps no checkpoints
  double checkpoint_seconds = 10.0;       ///< between the checkpoints of a member
  bool resume = false;                    ///< go on from the checkpoint; from the start where there is none
  std::string run = {};                   ///< of a launcher that may start this fit again: kept with the checkpoint
  std::size_t threads = 0;                ///< 0 means all the cores the process may use
  std::function<void(const FitProgress&)> callback = {};
  std::function<bool()> stop = {};  ///< asked about ten times a second; true interrupts
  Group group = {};                 ///< the processes that train together; by default this one alone
  bool double_precision = false;    ///< while it trains: two runs then show what differs beside rounding
};

/// Numbers that training changes, in all networks of an aligner with these options; std::invalid_argument for options
/// that check_training_options refuses, or series too short.
[[nodiscard]] std::int64_t parameter_count(const TrainingOptions& options, std::size_t channels, std::size_t length,
                                           std::size_t classes);

/// Whether a fit with this FitControl::run has begun there: what is left of any other is not its own to go on from.
[[nodiscard]] bool is_checkpoint_of(const std::filesystem::path& checkpoint, const std::string& run);

/// Removes a checkpoint directory, and in it what fit wrote. To be called when the model is safe.
void remove_checkpoint(const std::filesystem::path& checkpoint);

class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class NonFiniteLoss : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ModelMember;
struct NetworkOutput;
class SharedSet;

class TemporalAligner final : public WarpingAligner {
 public:
  /// std::invalid_argument for options that check_training_options refuses.
  explicit TemporalAligner(TrainingOptions options = {}, std::uint64_t seed = 0);

  /// With the FitControl given to set_control, or the default one.
  void fit(const Dataset& training) override;
  void fit(const Dataset& training, const FitControl& control);
  void set_control(FitControl control) { control_ = std::move(control); }

  [[nodiscard]] Dataset transform(const Dataset& series) const override;
  /// What members that tell classes apart see of the series, as they warp it, and the probabilities of classes.
  [[nodiscard]] Dataset comparison(const Dataset& series) const override;
  /// Series in common time, one for each of `series`, brought back by the exact inverse of its warp, to its length.
  [[nodiscard]] Dataset inverse_transform(const Dataset& aligned, const Dataset& series) const override;
  /// (cases, length): the positions in [0, 1] at which transform reads each series.
  [[nodiscard]] Matrix warps(const Dataset& series) const;
  /// times: (cases, n) in [0, 1]. From common time into each series' own; with `inverse`, back.
  [[nodiscard]] Matrix warp_times(const Dataset& series, const Matrix& times, bool inverse = false) const override;
  /// One per layer: (cases, cells + 1), shrinkage and horizon included: the flow at time 1 is the warp.
  [[nodiscard]] std::vector<Matrix> velocities(const Dataset& series) const;

  [[nodiscard]] const TrainingOptions& options() const noexcept { return options_; }
  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }
  [[nodiscard]] bool fitted() const noexcept { return model_ != nullptr; }
  [[nodiscard]] std::size_t channels() const;
  [[nodiscard]] std::size_t length() const;  ///< of aligned series
  /// How many series go through a network at once. A set that is cut after multiples of it gives the same bits in parts
  /// as in one piece.
  [[nodiscard]] std::size_t series_at_once() const;
  [[nodiscard]] double shrinkage() const;
  [[nodiscard]] const std::vector<EpochRecord>& history() const;
  /// The means of the aligned training series: one case per class, labeled where the training set was.
  [[nodiscard]] const Dataset& centroids() const;
  /// The means of `comparison` of the training series: what a classifier goes by.
  [[nodiscard]] const Dataset& comparison_centroids() const;
  /// The same of the training series without their warps, for comparison: what nearest means would go by.
  [[nodiscard]] const Dataset& unwarped_centroids() const;

  /// One safetensors file (diffeo/tensor_file.hpp) with everything; written beside, then renamed.
  void save(const std::filesystem::path& path) const;
  /// FileError for a file that is no model, was damaged, or comes from a newer version.
  [[nodiscard]] static TemporalAligner load(const std::filesystem::path& path);

  struct Model;  // what fit learns

 private:
  [[nodiscard]] const Model& model() const;
  [[nodiscard]] std::shared_ptr<const Model> learned(const Dataset& training, const SharedSet& set,
                                                     const FitControl& control) const;
  [[nodiscard]] bool is_compared(const ModelMember& member) const;
  /// The network's output for the series; velocities include horizon, shrinkage and centering.
  [[nodiscard]] NetworkOutput output_of(const ModelMember& member, const Dataset& series) const;
  /// The features of the series as the member sees them, warped, in units in which members count alike.
  [[nodiscard]] Dataset warped_features(const ModelMember& member, const Dataset& series,
                                        const std::vector<Matrix>& velocities) const;
  /// The features, and the probabilities of classes where the member recognizes them.
  [[nodiscard]] std::vector<Dataset> compared_by(const ModelMember& member, const Dataset& series) const;
  using Reduction = std::function<Dataset(Dataset warped)>;
  /// What is compared, member by member, each reduced before the next is made: all of them at once may not fit.
  [[nodiscard]] std::vector<Dataset> by_member(const Dataset& series, const Reduction& reduce) const;

  TrainingOptions options_;
  std::uint64_t seed_;
  FitControl control_;
  std::shared_ptr<const Model> model_;
};

}  // namespace diffeo
