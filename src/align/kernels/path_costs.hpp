// What pieces of path cost at neighboring places of a row, in single precision. (align/best_path.cpp)
#pragma once

#include "align/kernels/kernel_set.hpp"
#include "core/kernels/lanes.hpp"

namespace diffeo::kernels::DIFFEO_TARGET {

/// `kVectors` vectors of places at a time: what belongs to a sample is looked up once for all of them.
template <class T, std::size_t kVectors>
DIFFEO_INLINE void try_at(const PathPiece& piece, const float* before, std::size_t place, float* best) {
  constexpr std::size_t kStep = sizeof(T) / sizeof(float);
  T costs[kVectors];
#pragma GCC unroll 4
  for (std::size_t v = 0; v < kVectors; ++v) costs[v] = load<T>(before + place + v * kStep);
  const float* readings = piece.readings + place;
  for (std::size_t channel = 0; channel < piece.channels; ++channel) {
    for (std::size_t sample = 0; sample < piece.samples; ++sample, readings += piece.points) {
      const bool is_end = sample == 0 || sample + 1 == piece.samples;
      const float goal = (is_end ? piece.end_goals : piece.goals)[channel * piece.points + sample];
      if (goal != goal) continue;
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kVectors; ++v) {
        const T difference = load<T>(readings + v * kStep) - splat<T>(goal);
        costs[v] += difference * difference;
      }
    }
  }
#pragma GCC unroll 4
  for (std::size_t v = 0; v < kVectors; ++v) {
    float* to = best + place + v * kStep;
    store(to, lesser(costs[v], load<T>(to)));
  }
}

/// The last vector may begin among places that were tried before: their best cost is already no more.
DIFFEO_INLINE void try_piece(const PathPiece& piece, const float* before, std::size_t count, float* best) {
  constexpr std::size_t kLanes = kLaneCount<float>;
  std::size_t place = 0;
  if (count < kLanes) {
    for (; place < count; ++place) try_at<float, 1>(piece, before, place, best);
    return;
  }
  for (; place + 4 * kLanes <= count; place += 4 * kLanes) try_at<FloatLanes, 4>(piece, before, place, best);
  for (; place + 2 * kLanes <= count; place += 2 * kLanes) try_at<FloatLanes, 2>(piece, before, place, best);
  for (; place + kLanes <= count; place += kLanes) try_at<FloatLanes, 1>(piece, before, place, best);
  if (place < count) try_at<FloatLanes, 1>(piece, before, count - kLanes, best);
}

}  // namespace diffeo::kernels::DIFFEO_TARGET
