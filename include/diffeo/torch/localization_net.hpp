// Networks that look at a series and say how to warp it.
//
//   (cases, channels, length)  ->  (cases, outputs), each between -1 and 1: theta before it is scaled
//
// Four kinds, each followed by the same head (dropout, linear, ReLU, linear, tanh):
//   conv        the paper's: blocks of convolution, batch normalisation, max pooling and ReLU. Pooling halves the
//               length as long as at least 8 steps are left, and stops there: it never runs out
//   recurrent   bidirectional GRUs over the steps, one after the other; the last outputs averaged over time. Series
//               longer than kMostRecurrentSteps are averaged in equal parts first
//   inception   blocks of convolutions of three lengths beside each other and a pooled shortcut, with a residual
//               connection around all blocks; the last features averaged over time
//   residual    blocks of two convolutions with batch normalisation, added to what the block was given; between blocks
//               max pooling as in conv. With positions = 1 the features are averaged over all time
//
// With `classes`, a network first recognises what kind of series it looks at, by the averages of its features, wherever
// in time they are; and every class has a last layer of its own, which decides on the warp by where they are. In
// training the warp is that of the true class, so that telling classes apart is left to what cannot learn single series
// by heart as easily; later it is that of the class recognised.
//
//   * any number of channels, any length from kShortestSeries on; complete series (diffeo/torch/network_input.hpp)
//   * the last linear layer starts near zero, so that every warp starts near the identity; the others as torch's own
//   * dropout takes its random numbers from the generator given, or from torch's own where none is
//   * a batch may be empty
//   * layers ask before they compute whether they are to (diffeo/torch/interruption.hpp)
//   * c10::Error for options out of range and for series of another shape than it was made for
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
/// The kind of that name; std::invalid_argument lists the names there are.
[[nodiscard]] LocalizationKind localization_from_name(std::string_view name);

struct LocalizationOptions {
  LocalizationKind kind = LocalizationKind::conv;
  std::vector<std::int64_t> widths = {32, 64, 64};  ///< one per block; of recurrent, one per GRU
  std::vector<std::int64_t> kernels = {7, 5, 3};    ///< of conv and residual: odd, one per block
  std::int64_t hidden = 32;                         ///< of the head
  std::int64_t positions = 64;  ///< of conv and residual: at most so many steps reach the head, averages of equal parts
  double dropout = 0.0;         ///< before the head, from 0 up to but not including 1
  std::int64_t classes = 1;     ///< that it tells apart; of one, there is nothing to recognise
};

/// What a network makes of a batch.
struct Localized {
  at::Tensor theta;     ///< (cases, outputs)
  at::Tensor evidence;  ///< (cases, classes): what speaks for each class, before a softmax; undefined with one class
};

/// Which rows of a larger batch a network is given: those of one process. Random numbers are drawn for the whole batch,
/// so that a case has the same whichever process it is in.
struct BatchRows {
  std::int64_t cases = 0;  ///< of the whole batch
  at::Tensor own = {};     ///< (rows), their numbers; undefined: the whole batch is given

  /// What `draw` makes of an empty tensor for the whole batch; of that the own rows, which are shaped as `like`.
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
  /// Warps of the classes `labels` (cases), or where there are none, of those recognised.
  [[nodiscard]] virtual Localized localize(const at::Tensor& series, const std::optional<at::Tensor>& labels) = 0;
  [[nodiscard]] at::Tensor forward(const at::Tensor& series) { return localize(series, std::nullopt).theta; }
  void set_generator(const std::optional<at::Generator>& generator);
  /// The processes over which batches are shared out: batch normalisation has the statistics of the whole batch.
  void set_group(const Group& group);
  /// Until they are set anew.
  void set_rows(const BatchRows& rows);
};

/// A network for series of `channels` x `length`, with `outputs` outputs; its weights come from torch's generator.
[[nodiscard]] std::shared_ptr<LocalizationNet> make_localization_net(const LocalizationOptions& options,
                                                                     std::int64_t channels, std::int64_t length,
                                                                     std::int64_t outputs);

/// How weights start: as torch's own constructors have it (uniform, within one over the root of the inputs), or normal
/// with the variance of Glorot and Bengio (2010) and biases of zero.
enum class Initialization { torch, xavier_normal };

/// Of "torch" and "xavier-normal"; std::invalid_argument lists them.
[[nodiscard]] Initialization initialization_from_name(std::string_view name);

/// Draws all weights anew, from the generator alone. Batch normalisation starts as the identity, and the last linear
/// layer near zero, in both schemes.
void initialize(LocalizationNet& net, Initialization scheme, const at::Generator& generator);

}  // namespace diffeo
