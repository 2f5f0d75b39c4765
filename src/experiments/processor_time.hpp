// What work costs, however long it is kept waiting.
#pragma once

#include <ctime>

namespace diffeo {

/// Of this process, all its threads together.
[[nodiscard]] inline double processor_seconds() {
  std::timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace diffeo
