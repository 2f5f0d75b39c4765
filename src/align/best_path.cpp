#include "align/best_path.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

namespace diffeo {
namespace {

constexpr int kLongestMove = 6;

/// A piece of the path: so many steps of the target's time for so many of the series'.
struct Move {
  int target;
  int series;
};

std::vector<Move> moves() {
  std::vector<Move> result;
  for (int target = 1; target <= kLongestMove; ++target) {
    for (int series = 1; series <= kLongestMove; ++series) {
      if (std::gcd(target, series) == 1) result.push_back({target, series});
    }
  }
  return result;
}

/// One sample of a piece: which values it compares, with which weight.
struct Sample {
  int target;
  int series;
  double fraction;
  double weight;
};

struct Piece {
  Move move;
  double root;  // of its slope
  std::vector<Sample> samples;
};

std::vector<Piece> pieces() {
  std::vector<Piece> result;
  for (const Move& move : moves()) {
    const double slope = static_cast<double>(move.series) / move.target;
    Piece piece{move, std::sqrt(slope), {}};
    for (int step = 0; step <= move.target; ++step) {
      const double position = slope * step;
      const int left = std::min(static_cast<int>(position), move.series - 1);
      piece.samples.push_back({step, left, position - left, step == 0 || step == move.target ? 0.5 : 1.0});
    }
    result.push_back(std::move(piece));
  }
  return result;
}

double cost_of(const Piece& piece, const double* slopes, const double* target) noexcept {
  double sum = 0.0;
  for (const Sample& sample : piece.samples) {
    const double* left = slopes + sample.series;
    const double value = left[0] + sample.fraction * (left[1] - left[0]);
    const double difference = value * piece.root - target[sample.target];
    if (!std::isnan(difference)) sum += sample.weight * difference * difference;
  }
  return sum;
}

}  // namespace

BestPath best_path(std::span<const double> slopes, std::span<const double> target, std::size_t channels) {
  const std::size_t points = target.size() / channels;
  const std::vector<Piece> all = pieces();
  const std::size_t none = all.size();
  std::vector<double> costs(points * points, std::numeric_limits<double>::infinity());
  std::vector<std::uint8_t> last(points * points, static_cast<std::uint8_t>(none));
  costs[0] = 0.0;
  for (std::size_t i = 1; i < points; ++i) {
    for (std::size_t j = 1; j < points; ++j) {
      double best = std::numeric_limits<double>::infinity();
      std::size_t chosen = none;
      for (std::size_t k = 0; k < all.size(); ++k) {
        const auto back_i = static_cast<std::size_t>(all[k].move.target);
        const auto back_j = static_cast<std::size_t>(all[k].move.series);
        if (back_i > i || back_j > j) continue;
        double cost = costs[(i - back_i) * points + j - back_j];
        if (cost >= best) continue;
        for (std::size_t channel = 0; channel < channels; ++channel) {
          cost += cost_of(all[k], slopes.data() + channel * points + j - back_j,
                          target.data() + channel * points + i - back_i);
        }
        if (cost < best) {
          best = cost;
          chosen = k;
        }
      }
      costs[i * points + j] = best;
      last[i * points + j] = static_cast<std::uint8_t>(chosen);
    }
  }
  BestPath result;
  result.cost = costs.back() / static_cast<double>(points - 1);
  result.positions.assign(points, 0.0);
  const double steps = static_cast<double>(points - 1);
  for (std::size_t i = points - 1, j = points - 1; i > 0;) {
    const Move move = all[last[i * points + j]].move;
    i -= static_cast<std::size_t>(move.target);
    j -= static_cast<std::size_t>(move.series);
    for (int step = 1; step <= move.target; ++step) {
      result.positions[i + static_cast<std::size_t>(step)] =
          (static_cast<double>(j) + static_cast<double>(step) * move.series / move.target) / steps;
    }
  }
  return result;
}

}  // namespace diffeo
