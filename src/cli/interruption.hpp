// Being asked to stop, by Ctrl-C or by the system: SIGINT and SIGTERM.
//
//   const Interruption interruption;             // from here on, signals are only noted
//   while (!interruption.requested()) work();
//
//   * the handlers that were there come back when it goes
//   * a second Ctrl-C does what it always does: it ends the program at once. SIGTERM may come several times
//   * a signal that was ignored stays ignored
//   * one at a time in a process
#pragma once

#include <csignal>

namespace diffeo::cli {

class Interruption {
 public:
  Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  ~Interruption();

  [[nodiscard]] bool requested() const noexcept;

 private:
  struct sigaction interrupt_before_ {};
  struct sigaction terminate_before_ {};
};

}  // namespace diffeo::cli
