#include "diffeo/statistics/embedding.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "diffeo/error.hpp"
#include "diffeo/random.hpp"
#include "statistics/neighbour_probabilities.hpp"
#include "statistics/value_checks.hpp"

namespace diffeo {
namespace {

using PaperPoint = std::array<double, 2>;

// The usual constants (van der Maaten and Hinton, 2008).
constexpr double kStartDeviation = 1e-4;
constexpr double kExaggeration = 12.0;
constexpr std::size_t kExaggeratedShare = 4;  // the first quarter of the iterations
constexpr double kEarlyMomentum = 0.5;
constexpr double kLateMomentum = 0.8;
constexpr double kGainStep = 0.2;
constexpr double kGainDecay = 0.8;
constexpr double kLeastGain = 0.01;

std::vector<PaperPoint> small_random_cloud(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<PaperPoint> points(count);
  for (PaperPoint& point : points) {
    for (double& coordinate : point) coordinate = kStartDeviation * random.normal();
  }
  return points;
}

void centre_on_paper(std::vector<PaperPoint>& points) {
  for (std::size_t axis = 0; axis < 2; ++axis) {
    double sum = 0.0;
    for (const PaperPoint& point : points) sum += point[axis];
    for (PaperPoint& point : points) point[axis] -= sum / static_cast<double>(points.size());
  }
}

/// Points on their way downhill: with momentum, and a gain per coordinate that grows while it keeps its direction.
class PaperDescent {
 public:
  PaperDescent(std::span<const double> pairs, std::vector<PaperPoint> start)
      : pairs_(pairs),
        points_(std::move(start)),
        velocities_(points_.size()),
        gains_(points_.size(), {1.0, 1.0}),
        attraction_(points_.size()),
        repulsion_(points_.size()) {}

  void step(double exaggeration, double momentum) {
    const double total = gather_forces();
    const double rate = steady_rate(exaggeration);
    for (std::size_t i = 0; i < points_.size(); ++i) {
      for (std::size_t axis = 0; axis < 2; ++axis) {
        const double slope = 4.0 * (exaggeration * attraction_[i][axis] - repulsion_[i][axis] / total);
        double& gain = gains_[i][axis];
        double& velocity = velocities_[i][axis];
        const bool keeps_direction = slope * velocity < 0.0;
        gain = std::max(kLeastGain, keeps_direction ? gain + kGainStep : gain * kGainDecay);
        velocity = momentum * velocity - rate * gain * slope;
        points_[i][axis] += velocity;
      }
    }
    centre_on_paper(points_);
  }

  [[nodiscard]] const std::vector<PaperPoint>& points() const noexcept { return points_; }

 private:
  /// A point's probabilities add up to about 1 / count: at this rate their pull alone would take it just to the mean of
  /// its neighbours (Belkina et al., 2019).
  [[nodiscard]] double steady_rate(double exaggeration) const noexcept {
    return static_cast<double>(points_.size()) / (4.0 * exaggeration);
  }

  /// With w = 1 / (1 + distance^2): the sums of p w and of w^2 times the difference, and the sum of w over all pairs.
  double gather_forces() {
    std::ranges::fill(attraction_, PaperPoint{});
    std::ranges::fill(repulsion_, PaperPoint{});
    double total = 0.0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) total += 2.0 * add_pair(i, j);
    }
    return total;
  }

  double add_pair(std::size_t i, std::size_t j) noexcept {
    const PaperPoint difference = {points_[i][0] - points_[j][0], points_[i][1] - points_[j][1]};
    const double weight = 1.0 / (1.0 + difference[0] * difference[0] + difference[1] * difference[1]);
    const double pull = pairs_[i * points_.size() + j] * weight;
    const double push = weight * weight;
    for (std::size_t axis = 0; axis < 2; ++axis) {
      attraction_[i][axis] += pull * difference[axis];
      attraction_[j][axis] -= pull * difference[axis];
      repulsion_[i][axis] += push * difference[axis];
      repulsion_[j][axis] -= push * difference[axis];
    }
    return weight;
  }

  std::span<const double> pairs_;
  std::vector<PaperPoint> points_;
  std::vector<PaperPoint> velocities_;
  std::vector<PaperPoint> gains_;
  std::vector<PaperPoint> attraction_;
  std::vector<PaperPoint> repulsion_;
};

void check_points(std::span<const double> rows, std::size_t count, const EmbeddingOptions& options) {
  require(count == 0 ? rows.empty() : rows.size() % count == 0, "rows: expected the same number of values for each of ",
          count, " points, got ", rows.size(), " values");
  require(std::isfinite(options.perplexity) && options.perplexity >= 1.0, "perplexity: expected at least 1, got ",
          options.perplexity);
  statistics::require_finite_values(rows, "rows");
}

}  // namespace

std::vector<PaperPoint> tsne(std::span<const double> rows, std::size_t count, const EmbeddingOptions& options) {
  check_points(rows, count, options);
  if (count < 2) return std::vector<PaperPoint>(count);
  const double most = std::max(1.0, static_cast<double>(count - 1) / 3.0);
  const auto pairs = statistics::pair_probabilities(rows, count, std::min(options.perplexity, most));
  PaperDescent descent(pairs, small_random_cloud(count, options.seed));
  for (std::size_t iteration = 0; iteration < options.iterations; ++iteration) {
    const bool is_early = iteration < options.iterations / kExaggeratedShare;
    descent.step(is_early ? kExaggeration : 1.0, is_early ? kEarlyMomentum : kLateMomentum);
  }
  return descent.points();
}

}  // namespace diffeo
