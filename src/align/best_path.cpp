#include "align/best_path.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "align/kernels/kernel_set.hpp"

namespace diffeo {
namespace {

constexpr std::size_t kLongestMove = 6;

/// The first and the last sample of a piece count half.
const double kEndWeight = std::sqrt(0.5);

/// Where a sample of a piece is read: so many steps of the series' time after the piece's beginning.
struct Sample {
  std::size_t series;
  double fraction;  // beyond `series`
  double root_weight;
};

/// A piece of the path: so many steps of the target's time for so many of the series', with a sample at each of the
/// target's.
struct Piece {
  std::size_t target;
  std::size_t series;
  std::vector<Sample> samples;
};

std::vector<Piece> pieces() {
  std::vector<Piece> result;
  for (std::size_t target = 1; target <= kLongestMove; ++target) {
    for (std::size_t series = 1; series <= kLongestMove; ++series) {
      if (std::gcd(target, series) != 1) continue;
      Piece piece{target, series, {}};
      for (std::size_t step = 0; step <= target; ++step) {
        const std::size_t left = std::min(series * step / target, series - 1);
        const double fraction = static_cast<double>(series * step - left * target) / static_cast<double>(target);
        piece.samples.push_back({left, fraction, step == 0 || step == target ? kEndWeight : 1.0});
      }
      result.push_back(std::move(piece));
    }
  }
  return result;
}

/// What a piece reads of the series, wherever it begins: q(gamma) sqrt(gamma'), times the root of the sample's weight.
/// (channels, samples, points): a row for every sample, with a value for every beginning. Missing slopes are flat.
std::vector<float> readings_of(const Piece& piece, std::span<const double> slopes, std::size_t channels) {
  const std::size_t points = slopes.size() / channels;
  const auto value_at = [&](std::size_t index) { return std::isnan(slopes[index]) ? 0.0 : slopes[index]; };
  const double root = std::sqrt(static_cast<double>(piece.series) / static_cast<double>(piece.target));
  std::vector<float> result(channels * piece.samples.size() * points);
  float* row = result.data();
  for (std::size_t channel = 0; channel < channels; ++channel) {
    for (const Sample& sample : piece.samples) {
      for (std::size_t begin = 0; begin + piece.series < points; ++begin) {
        const std::size_t left = channel * points + begin + sample.series;
        const double value = value_at(left) + sample.fraction * (value_at(left + 1) - value_at(left));
        row[begin] = static_cast<float>(value * root * sample.root_weight);
      }
      row += points;
    }
  }
  return result;
}

/// The grid with one series and one target, and what every piece reads of the series.
class Grid {
 public:
  Grid(std::span<const double> slopes, std::span<const double> target, std::size_t channels)
      : channels_(channels), points_(target.size() / channels), pieces_(pieces()) {
    for (const Piece& piece : pieces_) readings_.push_back(readings_of(piece, slopes, channels));
    for (const double goal : target) {
      goals_.push_back(static_cast<float>(goal));
      end_goals_.push_back(static_cast<float>(goal * kEndWeight));
    }
  }

  [[nodiscard]] std::size_t points() const noexcept { return points_; }
  /// The columns of a row that pieces can reach from the beginning and leave for the end.
  [[nodiscard]] std::size_t first_column(std::size_t i) const noexcept {
    const std::size_t last = points_ - 1;
    const std::size_t behind = (i + kLongestMove - 1) / kLongestMove;
    const std::size_t ahead = kLongestMove * (last - i);
    return std::max(behind, last > ahead ? last - ahead : 0);
  }
  [[nodiscard]] std::size_t last_column(std::size_t i) const noexcept {
    return points_ - 1 - first_column(points_ - 1 - i);
  }
  [[nodiscard]] std::span<const Piece> all() const noexcept { return pieces_; }

  /// Makes best[n] the cost of the path that ends with this piece, begun at row `i` of the target's time and column
  /// j + n of the series', if it is less. before[n] is the cost up to there.
  void try_piece(std::size_t number, std::size_t i, std::size_t j, std::span<const float> before,
                 float* best) const noexcept {
    kernels_.try_piece({.readings = readings_[number].data() + j,
                        .goals = goals_.data() + i,
                        .end_goals = end_goals_.data() + i,
                        .channels = channels_,
                        .samples = pieces_[number].samples.size(),
                        .points = points_},
                       before.data(), before.size(), best);
  }

 private:
  const kernels::AlignKernels& kernels_ = kernels::align_kernels();
  std::size_t channels_;
  std::size_t points_;
  std::vector<Piece> pieces_;
  std::vector<std::vector<float>> readings_;  // by piece
  std::vector<float> goals_;                  // the target's values, weighted as those of inner samples ...
  std::vector<float> end_goals_;              // ... and of the first and last
};

/// What the best path to every point of the grid costs, row by row of the target's time.
std::vector<float> least_costs(const Grid& grid) {
  const std::size_t points = grid.points();
  std::vector<float> costs(points * points, std::numeric_limits<float>::infinity());
  costs.front() = 0.0F;
  for (std::size_t i = 1; i < points; ++i) {
    for (std::size_t number = 0; number < grid.all().size(); ++number) {
      const Piece& piece = grid.all()[number];
      if (piece.target > i) continue;
      const std::size_t begin = i - piece.target;
      const std::size_t first = std::max(grid.first_column(begin) + piece.series, grid.first_column(i));
      const std::size_t end = std::min(grid.last_column(begin) + piece.series, grid.last_column(i)) + 1;
      if (first >= end) continue;
      const std::size_t from = first - piece.series;
      const auto before = std::span(costs).subspan(begin * points + from, end - first);
      grid.try_piece(number, begin, from, before, costs.data() + i * points + first);
    }
  }
  return costs;
}

/// The piece that the best path to a point ends with, found again: it is cheaper than to have kept all.
const Piece& last_piece(const Grid& grid, std::span<const float> costs, std::size_t i, std::size_t j) {
  const Piece* chosen = nullptr;
  float least = std::numeric_limits<float>::infinity();
  for (std::size_t number = 0; number < grid.all().size(); ++number) {
    const Piece& piece = grid.all()[number];
    if (piece.target > i || piece.series > j) continue;
    float cost = std::numeric_limits<float>::infinity();
    const auto before = costs.subspan((i - piece.target) * grid.points() + j - piece.series, 1);
    grid.try_piece(number, i - piece.target, j - piece.series, before, &cost);
    if (!(cost < least)) continue;
    least = cost;
    chosen = &piece;
  }
  return *chosen;
}

std::vector<double> positions_of(const Grid& grid, std::span<const float> costs) {
  std::vector<double> result(grid.points(), 0.0);
  const double steps = static_cast<double>(grid.points() - 1);
  for (std::size_t i = grid.points() - 1, j = i; i > 0;) {
    const Piece& piece = last_piece(grid, costs, i, j);
    i -= piece.target;
    j -= piece.series;
    for (std::size_t step = 1; step <= piece.target; ++step) {
      const double slope = static_cast<double>(piece.series) / static_cast<double>(piece.target);
      result[i + step] = (static_cast<double>(j) + slope * static_cast<double>(step)) / steps;
    }
  }
  result.back() = 1.0;
  return result;
}

}  // namespace

BestPath best_path(std::span<const double> slopes, std::span<const double> target, std::size_t channels) {
  const Grid grid(slopes, target, channels);
  const std::vector<float> costs = least_costs(grid);
  return {positions_of(grid, costs), static_cast<double>(costs.back()) / static_cast<double>(grid.points() - 1)};
}

}  // namespace diffeo
