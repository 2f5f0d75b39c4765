// The training of one network of a temporal aligner, epoch by epoch.
//
//   MemberTraining training(task, member, items, stop);
//   while (!training.finished()) training.run_epoch();
//   use(training.network());
//
// Every epoch draws its batches, noise and dropout from generators seeded by (seed, member, epoch) alone, so what a
// checkpoint keeps is weights, moments and history: a training that goes on from the checkpoint after epoch k is the
// one that was never interrupted, bit for bit.
//
// In a group every process runs the same training: it draws the same batches and random numbers, computes what its own
// series add to the loss, and takes the same step.
//
//   * runs on the calling thread and on as many more as torch is told to use there
//   * Interrupted, with the state of the last complete epoch, when `stop` says so: at once, which is before the next
//     layer of the network; in a group between two steps, in all processes when it says so in any
//   * NonFiniteLoss when a term of the loss is not finite
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "augmentation.hpp"
#include "batch_plan.hpp"
#include "diffeo/dataset.hpp"
#include "diffeo/slope_scale.hpp"
#include "diffeo/tensor_file.hpp"
#include "diffeo/torch/interruption.hpp"
#include "diffeo/torch/temporal_aligner.hpp"
#include "diffeo/torch/temporal_transformer.hpp"
#include "diffeo/training_options.hpp"
#include "series_batches.hpp"
#include "shared_set.hpp"
#include "teacher.hpp"

namespace diffeo {

/// What the members of a fit have in common. It outlives them, and none of them changes it.
struct TrainingTask {
  const SharedSet* set = nullptr;
  std::string set_digest;  ///< where checkpoints are kept
  Normalization normalization;
  const Teacher* teacher = nullptr;  ///< where a loss has warps
  std::vector<std::int64_t> labels;  ///< of every case of all processes; all 0 without labels
  std::int64_t classes = 1;
  std::int64_t channels = 1;    ///< of the series by their values
  std::size_t first_slope = 0;  ///< channels of `set` from this on are slopes
  std::int64_t length = 0;      ///< of aligned series
  TrainingOptions options;
  std::uint64_t seed = 0;
  at::ScalarType precision = at::kFloat;  ///< of the numbers in training; the network that comes out has float's

  [[nodiscard]] const Group& group() const noexcept { return set->group(); }
};

class MemberTraining {
 public:
  /// A network that trains on the cases `items` of the task's set, for a part `effort` of the epochs and steps.
  MemberTraining(const TrainingTask& task, std::int64_t member, std::vector<std::size_t> items,
                 std::function<bool()> stop, double effort = 1.0);

  [[nodiscard]] bool finished() const noexcept { return stopped_early_ || epoch() == epochs_; }
  [[nodiscard]] std::int64_t epoch() const noexcept { return static_cast<std::int64_t>(history_.size()); }
  [[nodiscard]] std::int64_t epochs() const noexcept { return epochs_; }
  [[nodiscard]] std::int64_t steps_in_epoch() const noexcept { return steps_in_epoch_; }
  [[nodiscard]] const std::vector<EpochRecord>& history() const noexcept { return history_; }

  void run_epoch();

  /// The network after training: where something is held out, as it was in the epoch of the least held-out loss.
  [[nodiscard]] std::shared_ptr<TemporalTransformer> network();

  /// Everything needed to go on after the last complete epoch.
  [[nodiscard]] TensorFile state() const;
  /// std::invalid_argument for a state that is not one of this training's shape.
  void restore(const TensorFile& state);

 private:
  using NamedState = std::vector<std::pair<std::string, at::Tensor>>;

  /// Terms of a loss as numbers, before their weights.
  struct Terms {
    double loss = 0.0;
    double warps = 0.0;
    double variance = 0.0;
    double slopes = 0.0;
    double inverse_consistency = 0.0;
    double cross_entropy = 0.0;
    double recognition = 0.0;
    double prior = 0.0;
    double correct = 0.0;  // the part of the series nearest to their own centroid
    double stops = 0.0;    // processes that want to stop

    [[nodiscard]] std::vector<double> numbers() const;
    [[nodiscard]] static Terms of(const std::vector<double>& numbers);
  };

  /// What a step trains on.
  struct Batch {
    at::Tensor series;
    at::Tensor known_positions;  // (cases, length): of the warps taught; undefined where nothing is taught
  };

  [[nodiscard]] Interruption interruption() const;
  void hold_out(std::vector<std::size_t> items);
  void start_sharpness();
  void scale_slopes();
  void make_optimizer();
  [[nodiscard]] NamedState weights() const;
  [[nodiscard]] NamedState everything();
  void remember();
  [[nodiscard]] double weight(std::string_view term) const;
  [[nodiscard]] at::Tensor labels_of(std::span<const std::size_t> items) const;
  [[nodiscard]] at::Tensor aligned_in_evaluation(const BatchShare& share);
  [[nodiscard]] at::Tensor centroids_of_training_items();
  [[nodiscard]] Transformed transformed_batch(const at::Tensor& series, const BatchShare& share,
                                              const at::Tensor& labels, at::Generator& generator);
  [[nodiscard]] bool is_taught() const { return weight("warps") != 0.0; }
  [[nodiscard]] Batch batch_of(std::span<const std::size_t> items, const BatchShare& share, Random& random) const;
  [[nodiscard]] at::Tensor distance_to_known(const Batch& batch, const Transformed& transformed) const;
  [[nodiscard]] Terms step(std::span<const std::size_t> items, const at::Tensor& centroids, Random& random,
                           at::Generator& generator, bool stops);
  [[nodiscard]] Terms summed_with_gradients(const Terms& own) const;
  void check_finite(const Terms& terms) const;
  [[nodiscard]] std::vector<at::Tensor> trained_parameters() const;
  [[nodiscard]] double held_out_loss();
  void set_learning_rate();
  [[nodiscard]] double learning_rate() const;
  void check_finite(double term, std::string_view name) const;
  void note_validation(EpochRecord& record);

  const TrainingTask& task_;
  std::int64_t member_;
  std::vector<std::size_t> items_;
  std::vector<std::size_t> held_out_;
  std::function<bool()> stop_;
  MemberLoss loss_;
  SlopeScale slope_scale_;  // of the training items, where the loss compares slopes
  BatchPlan plan_;
  std::int64_t steps_in_epoch_ = 0;
  std::int64_t epochs_ = 0;

  std::shared_ptr<TemporalTransformer> network_;
  Augmentation augmentation_;
  at::Tensor log_sharpness_;
  at::Tensor precision_;        // of the prior
  at::Tensor training_counts_;  // (classes): cases among items_
  std::unique_ptr<torch::optim::AdamW> optimizer_;

  std::int64_t step_ = 0;
  bool is_stopping_ = false;  // processes have agreed to, in the last step
  std::vector<EpochRecord> history_;
  NamedState complete_;  // what the last complete epoch left
  NamedState best_;      // weights of the least held-out loss; empty without held-out cases
  double best_loss_ = 0.0;
  std::int64_t best_epoch_ = 0;
  bool stopped_early_ = false;
};

}  // namespace diffeo
