#include "diffeo/torch/interruption.hpp"

#include <utility>

namespace diffeo {
namespace {

/// Of the guards of a thread, the last.
thread_local const InterruptionGuard* innermost = nullptr;

}  // namespace

InterruptionGuard::InterruptionGuard(Interruption interruption)
    : interruption_(std::move(interruption)), before_(std::exchange(innermost, this)) {}

InterruptionGuard::~InterruptionGuard() { innermost = before_; }

Interruption interruption_in_force() { return innermost == nullptr ? Interruption() : innermost->interruption_; }

void ask_for_interruption() {
  if (const Interruption ask = interruption_in_force()) ask();
}

}  // namespace diffeo
