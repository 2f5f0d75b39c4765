// Standard input from a pipe, as slow as one likes.
#pragma once

#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace diffeo::cli {

/// While it lives, standard input is `bytes`, fewer than a pipe holds, which come after `before`; its end comes
/// `open_for` later.
class PipedInput {
 public:
  using Time = std::chrono::milliseconds;

  PipedInput(std::string bytes, Time before, Time open_for) : input_before_(dup(STDIN_FILENO)) {
    if (pipe(ends_.data()) != 0) throw std::runtime_error("no pipe");
    dup2(ends_[0], STDIN_FILENO);
    writer_ = std::jthread([this, bytes = std::move(bytes), before, open_for](const std::stop_token& stop) {
      rest(stop, before);
      if (write(ends_[1], bytes.data(), bytes.size()) < 0) return;
      rest(stop, open_for);
      has_ended_ = !stop.stop_requested();
      close(ends_[1]);
    });
  }
  PipedInput(const PipedInput&) = delete;
  PipedInput& operator=(const PipedInput&) = delete;
  ~PipedInput() {
    writer_ = {};
    dup2(input_before_, STDIN_FILENO);
    close(input_before_);
    close(ends_[0]);
  }

  [[nodiscard]] bool has_ended() const { return has_ended_; }

 private:
  /// Less where it is asked to stop.
  static void rest(const std::stop_token& stop, Time time) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any never;
    never.wait_for(lock, stop, time, [] { return false; });
  }

  int input_before_;
  std::array<int, 2> ends_{};
  std::atomic<bool> has_ended_ = false;
  std::jthread writer_;
};

}  // namespace diffeo::cli
