// An interruption that is asked for on the caller's own thread, while several threads compute.
//
//   const CallersStop stop(interruption_in_force());           // on the caller's thread
//   ... on every thread: const InterruptionGuard interruptible(stop);
//
//   * the interruption is called on the thread that made the object and on no other
//   * what it throws there is thrown, from then on, on every thread
#pragma once

#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "diffeo/torch/interruption.hpp"

namespace diffeo {

class CallersStop {
 public:
  explicit CallersStop(Interruption interruption) : shared_(std::make_shared<Shared>()) {
    shared_->interruption = std::move(interruption);
  }

  void operator()() const {
    rethrow_if_stopped();
    if (!shared_->interruption || std::this_thread::get_id() != shared_->caller) return;
    try {
      shared_->interruption();
    } catch (...) {
      const std::lock_guard lock(shared_->mutex);
      shared_->reason = std::current_exception();
      throw;
    }
  }

 private:
  struct Shared {
    Interruption interruption;
    std::thread::id caller = std::this_thread::get_id();
    std::mutex mutex;
    std::exception_ptr reason;
  };

  void rethrow_if_stopped() const {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->reason) std::rethrow_exception(shared_->reason);
  }

  std::shared_ptr<Shared> shared_;  // copies are one
};

}  // namespace diffeo
