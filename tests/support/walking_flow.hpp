// The slow, readable reference: walk from cell to cell, in long double, as one would by hand.        (docs/math.md, 2)
//
// No tables, no pieces, nothing shared with the library but the definition of the field. O(cells crossed) per point.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "diffeo/flow.hpp"

namespace diffeo::testing {

class WalkingFlow {
 public:
  WalkingFlow(std::vector<long double> velocities, Domain domain)
      : velocities_(std::move(velocities)), lower_(domain.lower), upper_(domain.upper) {}

  [[nodiscard]] long double operator()(long double x, long double time) const { return walk(x, time).position; }

  /// log d phi / d x: the sum of slope times time over the cells on the way.
  [[nodiscard]] long double log_slope(long double x, long double time) const { return walk(x, time).log_slope; }

  [[nodiscard]] long double velocity(long double x) const { return velocity_in(cell_of(x), x); }

 private:
  struct End {
    long double position;
    long double log_slope;
  };

  [[nodiscard]] End walk(long double x, long double time) const {
    const long double sign = time < 0 ? -1 : 1;
    long double left = sign * time;
    long double log_slope = 0;
    std::size_t cell = cell_of(x);
    while (true) {
      const long double velocity = sign * velocity_in(cell, x);
      const long double rate = sign * slope(cell);
      if (velocity == 0 || left == 0) return {x, log_slope + rate * left};
      const bool right = velocity > 0;
      const bool last = right ? cell + 1 == cells() : cell == 0;
      const long double border = vertex(right ? cell + 1 : cell);
      const long double arrival = sign * velocity_in(cell, border);
      const long double seconds = last ? infinity() : travel_time(border - x, velocity, arrival);
      if (!(seconds <= left)) return {x + displacement(velocity, rate, left), log_slope + rate * left};
      left -= seconds;
      log_slope += growth(velocity, arrival);
      x = border;
      cell = right ? cell + 1 : cell - 1;
    }
  }

  static constexpr long double infinity() { return std::numeric_limits<long double>::infinity(); }

  [[nodiscard]] std::size_t cells() const { return velocities_.size() - 1; }
  [[nodiscard]] long double vertex(std::size_t j) const {
    return lower_ + (upper_ - lower_) * static_cast<long double>(j) / static_cast<long double>(cells());
  }
  [[nodiscard]] long double slope(std::size_t cell) const {
    return (velocities_[cell + 1] - velocities_[cell]) * static_cast<long double>(cells()) / (upper_ - lower_);
  }
  [[nodiscard]] std::size_t cell_of(long double x) const {
    if (!(x > lower_)) return 0;
    if (x >= upper_) return cells() - 1;
    auto cell = static_cast<std::size_t>((x - lower_) / (upper_ - lower_) * static_cast<long double>(cells()));
    cell = std::min(cell, cells() - 1);
    while (cell > 0 && x < vertex(cell)) --cell;
    while (cell + 1 < cells() && x >= vertex(cell + 1)) ++cell;
    return cell;
  }
  /// From the nearer vertex: exact at both.
  [[nodiscard]] long double velocity_in(std::size_t cell, long double x) const {
    const long double from_left = x - vertex(cell);
    const long double to_right = vertex(cell + 1) - x;
    return std::fabs(from_left) < std::fabs(to_right) ? velocities_[cell] + slope(cell) * from_left
                                                      : velocities_[cell + 1] - slope(cell) * to_right;
  }
  static long double displacement(long double velocity, long double slope, long double time) {
    const long double z = slope * time;
    return velocity * time * (z == 0 ? 1 : std::expm1(z) / z);
  }
  /// log(end / start), from the slower.
  static long double growth(long double start, long double end) {
    const long double slow = std::min(std::fabs(start), std::fabs(end));
    const long double log = std::log1p((std::max(std::fabs(start), std::fabs(end)) - slow) / slow);
    return std::fabs(start) < std::fabs(end) ? log : -log;
  }
  /// From the slower end; infinite if the field changes sign on the way.
  static long double travel_time(long double distance, long double start, long double end) {
    if (!(start * end > 0)) return infinity();
    const long double slow = std::min(std::fabs(start), std::fabs(end));
    const long double w = std::max(std::fabs(start), std::fabs(end)) / slow - 1;
    return std::fabs(distance) / slow * (w == 0 ? 1 : std::log1p(w) / w);
  }

  std::vector<long double> velocities_;
  long double lower_;
  long double upper_;
};

}  // namespace diffeo::testing
