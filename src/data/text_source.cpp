#include "data/text_source.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "diffeo/file_error.hpp"

namespace diffeo::files {
namespace {

constexpr std::size_t kTextBytesAtOnce = std::size_t{1} << 18;
/// No label or number is that long; a file that is not text may be one field.
constexpr std::size_t kLongestField = std::size_t{1} << 24;
constexpr std::size_t kLongestQuote = 40;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

TextSource::TextSource(InputFile file) : file_(std::move(file)), buffer_(kTextBytesAtOnce) {
  cursor_ = limit_ = buffer_.data();
  skip_byte_order_mark();
}

void TextSource::start_over() {
  line_ = column_ = 1;
  stop_ = '\n';
  if (std::exchange(keeps_start_, false)) {
    cursor_ = buffer_.data();
  } else {
    file_.seek(0);
    cursor_ = limit_ = buffer_.data();
    bytes_read_ = 0;
    ended_ = false;
  }
  skip_byte_order_mark();
}

void TextSource::skip_byte_order_mark() {
  while (limit_ - cursor_ < 3 && refill()) {
  }
  if (limit_ == cursor_) fail(0, 0, "expected series, got an empty file");
  if (std::string_view(cursor_, limit_).starts_with(kByteOrderMark)) cursor_ += kByteOrderMark.size();
}

bool TextSource::refill() {
  if (watched_ != nullptr) file_.require_room(name(), watched_->size() * sizeof(double));
  if (ended_) return false;
  if (static_cast<std::size_t>(limit_ - cursor_) > kLongestField) {
    fail(line_, column_, "expected a field of at most " + std::to_string(kLongestField) + " bytes, got a longer one");
  }
  const char* const first = keeps_start_ ? buffer_.data() : cursor_;
  const auto taken = static_cast<std::size_t>(cursor_ - first);
  const auto kept = static_cast<std::size_t>(limit_ - first);
  std::memmove(buffer_.data(), first, kept);
  if (kept == buffer_.size()) buffer_.resize(2 * kept);
  const std::size_t got = file_.read(buffer_.data() + kept, buffer_.size() - kept);
  cursor_ = buffer_.data() + taken;
  limit_ = buffer_.data() + kept + got;
  bytes_read_ += got;
  ended_ = got == 0;
  if (got > 0) last_byte_ = limit_[-1];
  if (ended_ && bytes_read_ > 0 && last_byte_ != '\n' && last_byte_ != '\r') {
    file_.warn("expected a newline at the end, got none: the file may have been cut short");
  }
  return !ended_;
}

/// The width of the line end `offset` bytes from the cursor: 1 for LF, 2 for CR LF, 0 where there is none.
std::size_t TextSource::line_end_at(std::size_t offset) {
  if (cursor_[offset] == '\n') return 1;
  if (cursor_[offset] != '\r') return 0;
  if (cursor_ + offset + 1 == limit_ && !refill()) return 1;  // a file cut between CR and LF
  return cursor_[offset + 1] == '\n' ? 2 : 0;
}

std::string_view TextSource::field(const Delimiters& delimiters) {
  std::size_t size = 0;
  while (true) {
    for (; cursor_ + size != limit_; ++size) {
      if (!delimiters.has(cursor_[size])) continue;
      const bool may_end_line = cursor_[size] == '\n' || cursor_[size] == '\r';
      const std::size_t width = may_end_line ? line_end_at(size) : 1;
      if (width == 0) continue;
      const char* const start = cursor_;
      pass(cursor_ + size, width);
      return {start, size};
    }
    if (!refill()) break;
  }
  const char* const start = cursor_;
  pass(limit_, 0);
  return {start, size};
}

double TextSource::careful_number(const Delimiters& delimiters) {
  const std::size_t line = line_;
  const std::size_t column = column_;
  const std::string_view text = trimmed(field(delimiters));
  if (const std::optional<double> value = number_or_missing(text)) return *value;
  fail(line, column, "expected a number, got " + in_quotes(text));
}

bool TextSource::next_line() {
  while (!at_end()) {
    const std::size_t width = line_end_at(0);
    if (width == 0) return true;
    pass(cursor_, width);
  }
  return false;
}

bool TextSource::at_end() { return cursor_ == limit_ && !refill(); }

char TextSource::peek() { return at_end() || line_end_at(0) != 0 ? '\n' : *cursor_; }

char TextSource::take() {
  if (at_end()) return '\n';
  const char letter = *cursor_++;
  if (letter == '\n') {
    ++line_;
    column_ = 1;
  }
  return letter;
}

void TextSource::skip_blanks() {
  while (!at_end() && (*cursor_ == ' ' || *cursor_ == '\t')) ++cursor_;
}

void TextSource::fail(std::size_t line, std::size_t column, const std::string& problem) const {
  throw FileError({name(), line, column}, problem);
}

std::optional<double> number_or_missing(std::string_view text) noexcept {
  if (text == "?") return std::numeric_limits<double>::quiet_NaN();
  return number_in(text);
}

std::string_view trimmed(std::string_view text) noexcept {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string in_quotes(std::string_view text) {
  if (text.empty()) return "nothing";
  std::string result = "'";
  for (const char letter : text.substr(0, kLongestQuote)) {
    const auto code = static_cast<unsigned char>(letter);
    if (code >= 0x20 && code < 0x7F) {
      result += letter;
    } else {
      constexpr char kDigits[] = "0123456789abcdef";
      result += {'\\', 'x', kDigits[code >> 4], kDigits[code & 15]};
    }
  }
  return result + (text.size() > kLongestQuote ? "...'" : "'");
}

std::string lowered(std::string_view text) {
  std::string result(text);
  for (char& letter : result) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter | 0x20);
  }
  return result;
}

bool is_utf8(std::string_view text) noexcept {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t size = lead < 0x80 ? 1 : lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : lead >> 3 == 30 ? 4 : 0;
    if (size == 0 || i + size > text.size()) return false;
    std::uint32_t code = size == 1 ? lead : lead & (0x7Fu >> size);
    for (std::size_t k = 1; k < size; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if (next >> 6 != 2) return false;
      code = code << 6 | (next & 0x3Fu);
    }
    constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < kSmallest[size] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return false;
    i += size;
  }
  return true;
}

}  // namespace diffeo::files
