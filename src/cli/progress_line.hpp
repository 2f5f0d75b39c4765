// How far the work is, on stderr: one line that is rewritten on a terminal, a plain line every few seconds elsewhere.
#pragma once

#include <chrono>
#include <string>

namespace diffeo::cli {

class ProgressLine {
 public:
  /// Nothing is ever shown where it is quiet.
  explicit ProgressLine(bool is_quiet);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  /// Leaves the cursor at the start of a line.
  ~ProgressLine();

  /// Shows the text, or leaves it out where the last is too recent.
  void show(const std::string& text);

 private:
  using Clock = std::chrono::steady_clock;

  bool is_quiet_;
  bool is_terminal_;
  bool is_shown_ = false;
  Clock::time_point last_;
};

/// 8 s, 3 min, 2 h 05 min.
[[nodiscard]] std::string duration_text(double seconds);

}  // namespace diffeo::cli
