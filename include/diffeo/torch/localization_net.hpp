// Networks that predict the warp of a series.
//
//   (cases, channels, length)  ->  (cases, outputs), each between -1 and 1: theta before scaling
//
// Four kinds, each followed by the same head (dropout, linear, ReLU, linear, tanh):
//   conv        the paper's: blocks of convolution, batch normalization, max pooling and ReLU. Pooling halves the
//               length as long as at least 8 steps are left
//   recurrent   bidirectional GRUs over the steps, one after the other; the last outputs are averaged over time. Series
//               longer than kMostRecurrentSteps are first averaged in equal parts
//   inception   blocks of parallel convolutions of three lengths and a pooled shortcut, with a residual
//               connection around all blocks; the last features are averaged over time
//   residual    blocks of two convolutions with batch normalization, added to the input of the block; between blocks
//               max pooling as in conv. With positions = 1 the features are averaged over all time
//
// With `classes`, a network first recognizes the class of a series, from the time averages of its features. Every class
// has its own last layer, which predicts the warp from where in time the features are. In training the warp is that of
// the true class, so that recognition relies on the averages, which memorize single series less easily. Later it is
// that of the recognized class.
//
//   * any number of channels, any length from kShortestSeries; complete series (diffeo/torch/network_input.hpp)
//   * the last linear layer starts near zero, so that every warp starts near the identity; the others use torch's
//     initialization
//   * dropout uses the given generator, or torch's own without one
//   * a batch may be empty
//   * each layer checks for interruption before it runs (diffeo/torch/interruption.hpp)
//   * c10::Error for options out of range and for series of another shape than in construction
#pragma once

#include <ATen/Functions.h>
#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diffeo/torch/group.hpp"
#include "diffeo/training_options.hpp"

namespace diffeo {

inline constexpr std::int64_t kMostRecurrentSteps = 1024;

enum class LocalizationKind { conv, recurrent, inception, residual };

[[nodiscard]] std::string_view localization_name(LocalizationKind kind) noexcept;
/// The kind with that name; std::invalid_argument lists the valid names.
[[nodiscard]] LocalizationKind localization_from_name(std::string_view name);

struct LocalizationOptions {
  LocalizationKind kind = LocalizationKind::conv;
  std::vector<std::int64_t> widths = {32, 64, 64};  ///< one per block; for recurrent, one per GRU
  std::vector<std::int64_t> kernels = {7, 5, 3};    ///< for conv and residual: odd, one per block
  std::int64_t hidden = 32;                         ///< of the head
  std::int64_t positions = 64;  ///< for conv and residual: most steps that reach the head, averages of equal parts
  double dropout = 0.0;         ///< before the head, from 0 up to but not including 1
  std::int64_t classes = 1;     ///< number of classes to recognize; 1 turns recognition off
};

/// Output for a batch.
struct Localized {
  at::Tensor theta;     ///< (cases, outputs)
  at::Tensor evidence;  ///< (cases, classes): logits of the classes; undefined with one class
};

/// The rows of a larger batch that a network receives: those of one process. Random numbers are drawn for the whole
/// batch, so that a case gets the same ones in any process.
struct BatchRows {
  std::int64_t cases = 0;  ///< of the whole batch
  at::Tensor own = {};     ///< (rows), their numbers; undefined: the whole batch

  /// Fills a tensor for the whole batch, otherwise shaped like `like`, with `draw` and returns the own rows.
  template <class Draw>
  [[nodiscard]] at::Tensor drawn(const at::Tensor& like, const Draw& draw) const {
    if (!own.defined()) return draw(at::empty_like(like));
    std::vector<std::int64_t> sizes = like.sizes().vec();
    sizes.front() = cases;
    return draw(at::empty(sizes, like.options())).index_select(0, own);
  }
};

class LocalizationNet : public torch::nn::Module {
 public:
  /// Warps of the classes `labels` (cases), or without labels, of the recognized classes.
  [[nodiscard]] virtual Localized localize(const at::Tensor& series, const std::optional<at::Tensor>& labels) = 0;
  [[nodiscard]] at::Tensor forward(const at::Tensor& series) { return localize(series, std::nullopt).theta; }
  void set_generator(const std::optional<at::Generator>& generator);
  /// The processes that share the batches: batch normalization uses the statistics of the whole batch.
  void set_group(const Group& group);
  /// Valid until set again.
  void set_rows(const BatchRows& rows);
};

/// A network for series of `channels` x `length`, with `outputs` outputs; torch's generator initializes its weights.
[[nodiscard]] std::shared_ptr<LocalizationNet> make_localization_net(const LocalizationOptions& options,
                                                                     std::int64_t channels, std::int64_t length,
                                                                     std::int64_t outputs);

/// Initialization: like torch's constructors (uniform, within one over the root of the inputs), or normal
/// with the variance of Glorot and Bengio (2010) and zero biases.
enum class Initialization { torch, xavier_normal };

/// "torch" or "xavier-normal"; std::invalid_argument lists them.
[[nodiscard]] Initialization initialization_from_name(std::string_view name);

/// Draws all weights again, only from the generator. In both schemes, batch normalization starts as the identity, and
/// the last linear layer near zero.
void initialize(LocalizationNet& net, Initialization scheme, const at::Generator& generator);

}  // namespace diffeo
