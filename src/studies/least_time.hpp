// How long work takes when nothing else interferes: the least time of many repetitions.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>

namespace diffeo {

template <class Work>
[[nodiscard]] double least_milliseconds(std::size_t repetitions, const Work& work) {
  using Clock = std::chrono::steady_clock;
  double least = std::numeric_limits<double>::infinity();
  work();  // the first call also pays for memory never touched before
  for (std::size_t i = 0; i < repetitions; ++i) {
    const Clock::time_point start = Clock::now();
    work();
    least = std::min(least, std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  return least;
}

}  // namespace diffeo
