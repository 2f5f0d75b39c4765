// What one training step costs with the classes that train, as JSON: bench/compare/training_step.py runs this beside
// the same step in Python and makes the page.
//
//   training_step BATCH LENGTH CELLS CLASSES SECONDS
//
// step              forward of the default transformer, losses, backward, AdamW
// without network   the same from a theta that is given, back to that theta: product with the basis, warp, losses
// warp              product with the basis and warp, there and back
//
// One thread; the three take turns, and the least processor time of each counts: a step takes too long for any to be
// undisturbed on a machine that does something else.
#include <torch/torch.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <limits>
#include <numbers>
#include <vector>

#include "diffeo/prior.hpp"
#include "diffeo/torch/losses.hpp"
#include "diffeo/torch/temporal_transformer.hpp"
#include "diffeo/warp_space.hpp"

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kCrossEntropyWeight = 30.0;
constexpr double kPriorWeight = 3e-4;
constexpr double kDropout = 0.2;
constexpr std::int64_t kClassCount = 25;  // series of each class in the training set that the centroids are means of

struct Setting {
  std::int64_t batch;
  std::int64_t length;
  std::int64_t cells;
  std::int64_t classes;
};

/// Waves of one shape per class, each shifted a little.
at::Tensor waves(const Setting& setting, const at::Tensor& labels) {
  const at::Tensor time = at::linspace(0.0, 2.0 * std::numbers::pi, setting.length);
  const at::Tensor shift = 0.3 * at::rand({setting.batch, 1});
  const at::Tensor clean = at::sin((2 + labels.unsqueeze(1)) * (time + shift));
  return (clean + 0.05 * at::randn(clean.sizes())).unsqueeze(1);
}

diffeo::TransformerOptions default_options(const Setting& setting) {
  diffeo::TransformerOptions options;
  options.cells = setting.cells;
  options.localization.dropout = kDropout;
  return options;
}

at::Tensor prior_precision(std::int64_t cells) {
  const diffeo::WarpSpace space(static_cast<std::size_t>(cells));
  const diffeo::Matrix precision = diffeo::Prior(space, 1.0).precision();
  const auto side = static_cast<std::int64_t>(precision.rows());
  const at::Tensor doubles = at::empty({side, side}, at::kDouble);
  std::ranges::copy(precision.values(), doubles.mutable_data_ptr<double>());
  return doubles.to(at::kFloat);
}

class Training {
 public:
  explicit Training(const Setting& setting)
      : classes_(setting.classes),
        labels_(at::arange(setting.batch).remainder(setting.classes)),
        series_(waves(setting, labels_)),
        centroids_(diffeo::class_means(series_, labels_, classes_)),
        counts_(at::full({classes_}, kClassCount)),
        precision_(prior_precision(setting.cells)),
        log_sharpness_(at::zeros({}).set_requires_grad(true)),
        transformer_(1, setting.length, default_options(setting)),
        theta_((0.1 * at::randn({setting.batch, precision_.size(0)})).set_requires_grad(true)),
        optimizer_(parameters(), torch::optim::AdamWOptions(1e-3)) {}

  void step() {
    optimizer_.zero_grad();
    const diffeo::Transformed result = transformer_.forward(series_);
    loss(result.aligned, result.thetas).backward();
    optimizer_.step();
  }

  void without_network() {
    theta_.mutable_grad() = at::Tensor();
    loss(warped(), {theta_}).backward();
  }

  void warp() {
    theta_.mutable_grad() = at::Tensor();
    warped().sum().backward();
  }

 private:
  [[nodiscard]] std::vector<at::Tensor> parameters() const {
    std::vector<at::Tensor> result = transformer_.parameters();
    result.push_back(log_sharpness_);
    return result;
  }

  [[nodiscard]] at::Tensor warped() const {
    const double scale = transformer_.options().velocity_scale;
    return transformer_.apply(series_, {scale * theta_.matmul(transformer_.vertex_basis().t())});
  }

  [[nodiscard]] at::Tensor loss(const at::Tensor& aligned, const std::vector<at::Tensor>& thetas) const {
    const at::Tensor distances = diffeo::squared_distances(aligned, centroids_);
    return diffeo::within_class_variance(aligned, labels_, classes_) +
           kCrossEntropyWeight * diffeo::centroid_cross_entropy(distances, labels_, counts_, log_sharpness_) +
           kPriorWeight * diffeo::prior_penalty(thetas, precision_);
  }

  std::int64_t classes_;
  at::Tensor labels_;
  at::Tensor series_;
  at::Tensor centroids_;
  at::Tensor counts_;
  at::Tensor precision_;
  at::Tensor log_sharpness_;
  diffeo::TemporalTransformer transformer_;
  at::Tensor theta_;
  torch::optim::AdamW optimizer_;
};

struct Work {
  const char* name;
  std::function<void()> call;
  double least_ms = std::numeric_limits<double>::infinity();
};

double processor_ms() { return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// A slice of time each, in turn, so that all see the same disturbances.
void take_turns(std::array<Work, 3>& works, double seconds) {
  constexpr std::chrono::milliseconds kSlice{50};
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end) {
    for (Work& work : works) {
      for (const auto slice = Clock::now() + kSlice; Clock::now() < slice;) {
        const double start = processor_ms();
        work.call();
        work.least_ms = std::min(work.least_ms, processor_ms() - start);
      }
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 6) {
    std::fprintf(stderr, "training_step: expected BATCH LENGTH CELLS CLASSES SECONDS\n");
    return 2;
  }
  const auto whole = [&](int index) { return std::int64_t{std::atoll(arguments[index])}; };
  at::set_num_threads(1);
  torch::manual_seed(20240229);
  Training training({.batch = whole(1), .length = whole(2), .cells = whole(3), .classes = whole(4)});
  std::array<Work, 3> works{{{"step", [&] { training.step(); }},
                             {"without network", [&] { training.without_network(); }},
                             {"warp", [&] { training.warp(); }}}};
  take_turns(works, std::atof(arguments[5]));
  std::printf("{\"%s\": %.6f, \"%s\": %.6f, \"%s\": %.6f}\n", works[0].name, works[0].least_ms, works[1].name,
              works[1].least_ms, works[2].name, works[2].least_ms);
  return 0;
}
