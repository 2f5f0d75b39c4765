// A way out of the middle of long work: of a step of training, or of many series that a network looks at.
//
//   const InterruptionGuard interruptible([&] { if (wants_to_stop()) throw Enough(); });
//   network->forward(series).sum().backward();     // Enough comes out, from before the next layer
//
// A step of a large network on long series takes many seconds, and whoever interrupts it need not wait for it: layers
// that take long ask before they compute, forwards and backwards.
//
//   * in force on the thread that made the guard, until it is gone, as torch's NoGradGuard is; of several the one made
//     last, and an empty one asks nobody
//   * what several threads compute for one caller asks on the caller's thread alone (TemporalAligner)
#pragma once

#include <functional>

namespace diffeo {

/// Throws where the work is to end.
using Interruption = std::function<void()>;

class InterruptionGuard {
 public:
  explicit InterruptionGuard(Interruption interruption);
  InterruptionGuard(const InterruptionGuard&) = delete;
  InterruptionGuard& operator=(const InterruptionGuard&) = delete;
  ~InterruptionGuard();

 private:
  Interruption interruption_;
  const InterruptionGuard* before_;

  friend Interruption interruption_in_force();
};

/// That of this thread; empty where there is none.
[[nodiscard]] Interruption interruption_in_force();

/// Calls it, if there is one.
void ask_for_interruption();

}  // namespace diffeo
