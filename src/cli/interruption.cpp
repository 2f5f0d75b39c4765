#include "cli/interruption.hpp"

namespace diffeo::cli {
namespace {

volatile std::sig_atomic_t is_requested = 0;  // all that a handler may touch

void note(int) { is_requested = 1; }

}  // namespace

Interruption::Interruption() {
  is_requested = 0;
  struct sigaction noting {};
  noting.sa_handler = note;
  noting.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
  sigaction(SIGINT, &noting, &interrupt_before_);
  sigaction(SIGTERM, &noting, &terminate_before_);
}

Interruption::~Interruption() {
  sigaction(SIGINT, &interrupt_before_, nullptr);
  sigaction(SIGTERM, &terminate_before_, nullptr);
}

bool Interruption::requested() const noexcept { return is_requested != 0; }

}  // namespace diffeo::cli
