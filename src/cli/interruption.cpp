#include "cli/interruption.hpp"

namespace diffeo::cli {
namespace {

volatile std::sig_atomic_t is_requested = 0;  // all that a handler may touch

void note(int) { is_requested = 1; }

/// Notes a signal from here on, unless it is ignored: so whoever starts jobs that are to outlive Ctrl-C asks for it. Only
/// a person who types it again is impatient: a system that ends a job tells all of its processes, and those that have
/// started others tell them once more.
void listen(int signal, struct sigaction& before) {
  struct sigaction noting {};
  noting.sa_handler = note;
  noting.sa_flags = static_cast<int>(signal == SIGINT ? SA_RESTART | SA_RESETHAND : SA_RESTART);
  sigaction(signal, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(signal, &noting, nullptr);
}

}  // namespace

Interruption::Interruption() {
  is_requested = 0;
  listen(SIGINT, interrupt_before_);
  listen(SIGTERM, terminate_before_);
}

Interruption::~Interruption() {
  sigaction(SIGINT, &interrupt_before_, nullptr);
  sigaction(SIGTERM, &terminate_before_, nullptr);
}

bool Interruption::requested() const noexcept { return is_requested != 0; }

}  // namespace diffeo::cli
