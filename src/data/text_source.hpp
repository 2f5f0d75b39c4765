// A text file read field by field, in a buffer of fixed size: lines may be as long as they like.
//
// A field ends at a delimiter, at the end of the line (LF or CR LF) or at the end of the file, which counts as the end
// of a line. Lines and fields are counted for errors. A byte order mark at the start is skipped.
//
//   while (source.next_line()) {
//     std::string label(source.field(kTabs));
//     while (source.stop() != '\n') values.push_back(source.number(kTabs));
//   }
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "data/input_file.hpp"
#include "data/number_text.hpp"

namespace diffeo::files {

/// The characters that end a field; those that end a line are always among them.
class Delimiters {
 public:
  constexpr explicit Delimiters(std::string_view letters) {
    for (const char letter : letters) ends_[static_cast<unsigned char>(letter)] = true;
    ends_['\n'] = ends_['\r'] = true;
  }
  [[nodiscard]] bool has(char letter) const noexcept { return ends_[static_cast<unsigned char>(letter)]; }

 private:
  std::array<bool, 256> ends_{};
};

inline constexpr Delimiters kLineEnds("");

class TextSource {
 public:
  explicit TextSource(InputFile file);

  [[nodiscard]] const std::string& name() const noexcept { return file_.name(); }
  /// Where the next field stands, from 1.
  [[nodiscard]] std::size_t line() const noexcept { return line_; }
  [[nodiscard]] std::size_t column() const noexcept { return column_; }
  /// How much of the file has been taken, of how much; 0 of 0 where its size is unknown.
  [[nodiscard]] std::uint64_t bytes_taken() const noexcept {
    return bytes_read_ - static_cast<std::uint64_t>(limit_ - cursor_);
  }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return file_.size(); }

  /// The memory of these values is compared with what the file may take whenever more of it is read.
  void watch(const std::vector<double>& values) noexcept { watched_ = &values; }

  /// Skips empty lines; false at the end of the file. To be called at the start of a line.
  [[nodiscard]] bool next_line();
  /// The text up to the next delimiter, which is taken too; valid until the next call.
  [[nodiscard]] std::string_view field(const Delimiters& delimiters);
  /// The number that fills the next field, blanks around it left out; NaN for ?. FileError for anything else.
  [[nodiscard]] double number(const Delimiters& delimiters) {
    double value;
    return fast_number(delimiters, value) ? value : careful_number(delimiters);
  }
  /// The same where the field is a plain number; otherwise nothing is taken.
  [[nodiscard]] bool fast_number(const Delimiters& delimiters, double& value) noexcept {
    const char* const end = scan_number(cursor_, limit_, value);
    if (end == nullptr || end == limit_ || *end == '\r' || !delimiters.has(*end)) return false;
    pass(end, 1);
    return true;
  }
  /// What ended the last field: a delimiter, or '\n' for the end of a line or of the file.
  [[nodiscard]] char stop() const noexcept { return stop_; }

  /// The next character without taking it; '\n' at the end of a line or of the file.
  [[nodiscard]] char peek();
  /// Takes a character as it is, line ends included.
  char take();
  [[nodiscard]] bool at_end();
  void skip_blanks();

  /// From here on, what is read may be read again: to be called before anything is taken. Of a pipe it is kept.
  void look_ahead() noexcept { keeps_start_ = !file_.seekable(); }
  /// Back to the start, once.
  void start_over();

  /// Throws the FileError of that place.
  [[noreturn]] void fail(std::size_t line, std::size_t column, const std::string& problem) const;

 private:
  [[nodiscard]] double careful_number(const Delimiters& delimiters);
  void skip_byte_order_mark();
  [[nodiscard]] bool refill();
  [[nodiscard]] std::size_t line_end_at(std::size_t offset);

  /// Takes everything up to `end` and the `width` bytes of the delimiter there.
  void pass(const char* end, std::size_t width) noexcept {
    stop_ = width == 0 || *end == '\r' ? '\n' : *end;
    cursor_ = end + width;
    ++column_;
    if (stop_ == '\n') {
      ++line_;
      column_ = 1;
    }
  }

  InputFile file_;
  std::vector<char> buffer_;
  const std::vector<double>* watched_ = nullptr;
  const char* cursor_ = nullptr;
  const char* limit_ = nullptr;
  std::uint64_t bytes_read_ = 0;
  char last_byte_ = '\n';
  bool ended_ = false;
  bool keeps_start_ = false;
  std::size_t line_ = 1;
  std::size_t column_ = 1;
  char stop_ = '\n';
};

/// The number in a field's text as TextSource::number understands it.
[[nodiscard]] std::optional<double> number_or_missing(std::string_view text) noexcept;
/// Without blanks (spaces and tabs) at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text) noexcept;
/// For messages: 'text' in one line, cut where it is long, "nothing" where it is empty.
[[nodiscard]] std::string in_quotes(std::string_view text);
/// Lower case of A to Z.
[[nodiscard]] std::string lowered(std::string_view text);
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

}  // namespace diffeo::files
