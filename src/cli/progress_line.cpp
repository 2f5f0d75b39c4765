#include "cli/progress_line.hpp"

#include <unistd.h>

#include <cmath>
#include <iostream>

namespace diffeo::cli {
namespace {

constexpr std::chrono::milliseconds kRewriteInterval{100};
constexpr std::chrono::seconds kLineInterval{5};

}  // namespace

ProgressLine::ProgressLine(bool is_quiet)
    : is_quiet_(is_quiet), is_terminal_(isatty(STDERR_FILENO) == 1), last_(Clock::now()) {}

ProgressLine::~ProgressLine() {
  if (is_shown_ && is_terminal_) std::cerr << std::endl;
}

void ProgressLine::show(const std::string& text) {
  const Clock::time_point now = Clock::now();
  if (is_quiet_ || now - last_ < (is_terminal_ ? Clock::duration(kRewriteInterval) : Clock::duration(kLineInterval))) {
    return;
  }
  last_ = now;
  is_shown_ = true;
  is_terminal_ ? std::cerr << '\r' << text << "\x1b[K" << std::flush : std::cerr << text << std::endl;
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<long long>(std::ceil(seconds));
  if (whole < 100) return std::to_string(whole) + " s";
  const long long minutes = (whole + 59) / 60;
  if (minutes < 100) return std::to_string(minutes) + " min";
  const std::string rest = std::to_string(minutes % 60);
  return std::to_string(minutes / 60) + " h " + (rest.size() == 1 ? "0" : "") + rest + " min";
}

}  // namespace diffeo::cli
