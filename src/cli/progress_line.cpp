#include "cli/progress_line.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string_view>

namespace diffeo::cli {
namespace {

constexpr std::chrono::milliseconds kRewriteInterval{100};
constexpr std::chrono::seconds kLineInterval{5};
constexpr std::size_t kBarWidth = 20;
constexpr std::size_t kBarAndShare = kBarWidth + 9;  // "[...] 100 % "
constexpr std::string_view kGreen = "\x1b[32m";
constexpr std::string_view kPlain = "\x1b[0m";
constexpr std::string_view kRestOfLine = "\x1b[K";

/// A terminal on which a line can be written again.
bool is_redrawable() {
  const char* const terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && (terminal == nullptr || std::string_view(terminal) != "dumb");
}

bool wants_color() {
  const char* const no_color = std::getenv("NO_COLOR");
  return no_color == nullptr || *no_color == '\0';
}

std::size_t terminal_width() {
  winsize size{};
  const bool is_known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : std::size_t{80};
}

}  // namespace

ProgressLine::ProgressLine(bool is_quiet)
    : is_quiet_(is_quiet), is_terminal_(is_redrawable()), has_color_(wants_color()), last_(Clock::now()) {}

ProgressLine::~ProgressLine() {
  if (is_shown_ && is_terminal_) std::cerr << std::endl;
}

void ProgressLine::show(const std::string& text, std::optional<double> done) {
  const Clock::duration interval = is_terminal_ ? Clock::duration(kRewriteInterval) : Clock::duration(kLineInterval);
  if (Clock::now() - last_ >= interval) show_at_once(text, done);
}

void ProgressLine::show_at_once(const std::string& text, std::optional<double> done) {
  if (is_quiet_) return;
  last_ = Clock::now();
  is_shown_ = true;
  if (!is_terminal_) {
    std::cerr << text << std::endl;
    return;
  }
  const std::size_t taken = done ? kBarAndShare : 0;
  const std::size_t width = terminal_width() - 1;  // the last column may wrap
  std::cerr << '\r' << (done && width > taken ? bar_text(*done, has_color_) + " " : "")
            << text.substr(0, width > taken ? width - taken : width) << kRestOfLine << std::flush;
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<long long>(std::ceil(seconds));
  if (whole < 100) return std::to_string(whole) + " s";
  const long long minutes = (whole + 59) / 60;
  if (minutes < 100) return std::to_string(minutes) + " min";
  const std::string rest = std::to_string(minutes % 60);
  return std::to_string(minutes / 60) + " h " + (rest.size() == 1 ? "0" : "") + rest + " min";
}

std::string amount_text(double amount) {
  char text[32];
  const bool is_million = amount >= 1e6;
  const bool is_thousand = amount >= 1e3;
  std::snprintf(text, sizeof text, "%.3g", is_million ? amount / 1e6 : is_thousand ? amount / 1e3 : amount);
  return std::string(text) + (is_million ? " million" : is_thousand ? " thousand" : "");
}

std::string pace_text(std::size_t steps, double seconds, double done) {
  const std::string rate = amount_text(static_cast<double>(steps) / seconds) + " steps/s";
  return done > 0.0 ? rate + ", about " + duration_text(seconds * (1.0 - done) / done) + " left" : rate;
}

std::string bar_text(double done, bool has_color) {
  const double part = std::clamp(done, 0.0, 1.0);
  const auto filled = static_cast<std::size_t>(part * static_cast<double>(kBarWidth));
  char share[16];
  std::snprintf(share, sizeof share, "%3.0f %%", std::floor(100.0 * part));
  std::string bar(has_color ? kGreen : "");
  bar.append("[").append(filled, '#').append(kBarWidth - filled, '-').append("]").append(has_color ? kPlain : "");
  return bar.append(" ").append(share);
}

}  // namespace diffeo::cli
