// What a caller may ask for, asked on the caller's own thread, while several threads compute.
//
//   const CallersStop interruption(control.stop);       // on the caller's thread
//   ... on any thread: interruption();                  // throws where the caller wants to stop
//
//   * `stop` is called on the thread that made the object and on no other
//   * Interrupted where it says true, or what it throws itself; from then on the same on every thread
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "diffeo/torch/temporal_aligner.hpp"

namespace diffeo {

class CallersStop {
 public:
  explicit CallersStop(std::function<bool()> stop) : shared_(std::make_shared<Shared>()) {
    shared_->stop = std::move(stop);
  }

  void operator()() const {
    rethrow_if_stopped();
    if (!shared_->stop || std::this_thread::get_id() != shared_->caller) return;
    try {
      if (shared_->stop()) throw Interrupted("interrupted after training, before the model was complete");
    } catch (...) {
      const std::lock_guard lock(shared_->mutex);
      shared_->reason = std::current_exception();
      throw;
    }
  }

 private:
  struct Shared {
    std::function<bool()> stop;
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
