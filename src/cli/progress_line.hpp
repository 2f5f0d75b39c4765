// How far the work is, on stderr: one line that is rewritten on a terminal, a plain line every few seconds elsewhere.
//
//   ProgressLine line(reporting.quiet);
//   line.show("epoch 3 of 20; 8 s left", 0.15);    // [###-----------------]  15 % epoch 3 of 20; 8 s left
//
//   * work that is shorter than that shows nothing, but for what is shown at once
//   * a bar only where it can be redrawn; its color can be switched off (NO_COLOR, see no-color.org)
//   * no control characters where stderr is no terminal, or a dumb one
//   * never wider than the terminal
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
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

  /// Shows the text, or leaves it out where the last is too recent; `done` is the part of the work, where it is known.
  void show(const std::string& text, std::optional<double> done = std::nullopt);
  /// However recent the last is: of work that is beginning, of which nothing else may be heard for long.
  void show_at_once(const std::string& text, std::optional<double> done = std::nullopt);

 private:
  using Clock = std::chrono::steady_clock;

  bool is_quiet_;
  bool is_terminal_;
  bool has_color_;
  bool is_shown_ = false;
  Clock::time_point last_;
};

/// 8 s, 3 min, 2 h 05 min.
[[nodiscard]] std::string duration_text(double seconds);

/// 950, 12.3 thousand, 1.35 million.
[[nodiscard]] std::string amount_text(double amount);

/// 12.3 steps/s, about 8 s left: of a search of which a part lies behind; without the time where nothing does.
[[nodiscard]] std::string pace_text(std::size_t steps, double seconds, double done);

/// [#####---------------]  25 %
[[nodiscard]] std::string bar_text(double done, bool has_color);

}  // namespace diffeo::cli
