// Interrupts long work midway: a training step, or a network that processes many series.
//
//   const InterruptionGuard interruptible([&] { if (wants_to_stop()) throw Enough(); });
//   network->forward(series).sum().backward();     // Enough propagates, from before the next layer
//
// A step of a large network on long series takes many seconds. So each slow layer checks for interruption before it
// runs, forward and backward.
//
//   * thread-local, like torch's NoGradGuard: active on the thread that created the guard while the guard lives. The
//     latest guard is in force; an empty one turns interruption off
//   * if several threads compute for one caller, only the caller's thread checks (TemporalAligner)
#pragma once

#include <functional>

namespace diffeo {

/// Throws to end the work.
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

/// The callback of this thread; empty if there is none.
[[nodiscard]] Interruption interruption_in_force();

/// Calls it, if there is one.
void ask_for_interruption();

}  // namespace diffeo
