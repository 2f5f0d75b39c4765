// Somebody who presses Ctrl-C, once, as soon as the program listens.
#pragma once

#include <chrono>
#include <csignal>
#include <thread>

namespace diffeo::cli {

/// Sends SIGINT to its own process until cli/interruption.hpp takes it; before that, and afterwards, they are lost on a
/// handler of its own.
class Interrupting {
 public:
  Interrupting() {
    struct sigaction own {};
    own.sa_handler = [](int) { ignored() = 1; };
    sigaction(SIGINT, &own, &before_);
    thread_ = std::jthread([](const std::stop_token& stop) {
      while (!stop.stop_requested() && !is_taken()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
  }
  Interrupting(const Interrupting&) = delete;
  Interrupting& operator=(const Interrupting&) = delete;
  ~Interrupting() {
    thread_ = {};
    sigaction(SIGINT, &before_, nullptr);
  }

 private:
  static volatile std::sig_atomic_t& ignored() {
    static volatile std::sig_atomic_t value = 0;
    return value;
  }

  /// A signal that a thread raises is handled before raise returns.
  static bool is_taken() {
    ignored() = 0;
    raise(SIGINT);
    return ignored() == 0;
  }

  struct sigaction before_ {};
  std::jthread thread_;
};

}  // namespace diffeo::cli
