// The header of a NumPy array: a Python dictionary in text.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "data/npy_array.hpp"
#include "data/number_text.hpp"
#include "data/text_source.hpp"
#include "diffeo/error.hpp"
#include "diffeo/file_error.hpp"

namespace diffeo::files {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kLongestHeader = std::size_t{1} << 16;
constexpr std::size_t kNpyHeaderAlignment = 64;
constexpr std::size_t kMostDimensions = 32;

/// The dictionary of the header: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
class HeaderText {
 public:
  HeaderText(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

  NpyHeader parse() {
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted_word();
      expect(':');
      take(key);
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (!has_type_ || !has_order_ || !has_shape_)
      fail("expected descr, fortran_order and shape in the header, got fewer");
    return std::move(header_);
  }

 private:
  void take(const std::string& key) {
    if (key == "descr") {
      take_type();
    } else if (key == "fortran_order") {
      header_.fortran_order = truth();
      has_order_ = true;
    } else if (key == "shape") {
      take_shape();
    } else {
      fail("expected descr, fortran_order and shape in the header, got " + in_quotes(key));
    }
  }

  void take_type() {
    if (peek() != '\'' && peek() != '"') fail("expected elements of one type, got a structure");
    const std::string type = quoted_word();
    has_type_ = true;
    if (type.find('O') != std::string::npos) fail("expected numbers or text, got pickled Python objects");
    const std::size_t kind = type.find_first_not_of("<>=|");
    const std::optional<double> size =
        kind < type.size() ? number_in(std::string_view(type).substr(kind + 1)) : std::nullopt;
    constexpr double kLongest = 1e6;
    if (kind > 1 || !size || !(*size >= 0 && *size <= kLongest) || *size != std::floor(*size)) {
      fail("expected a type such as <f8, got " + in_quotes(type));
    }
    header_.kind = type[kind];
    header_.big_endian = type[0] == '>';
    header_.size = static_cast<std::size_t>(*size) * (header_.kind == 'U' ? 4 : 1);
    if (!is_supported()) fail("expected floats, integers, truth values or text, got type " + in_quotes(type));
  }

  [[nodiscard]] bool is_supported() const {
    const std::size_t size = header_.size;
    switch (header_.kind) {
      case 'f':
        return size == 2 || size == 4 || size == 8;
      case 'i':
      case 'u':
        return size == 1 || size == 2 || size == 4 || size == 8;
      case 'b':
        return size == 1;
      default:
        return (header_.kind == 'U' || header_.kind == 'S') && size > 0;
    }
  }

  void take_shape() {
    expect('(');
    while (!accept(')')) {
      header_.shape.push_back(whole_number());
      if (header_.shape.size() > kMostDimensions) fail("expected fewer dimensions in the header's shape, got too many");
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    has_shape_ = true;
  }

  std::size_t whole_number() {
    std::size_t value = 0;
    if (!number_details::is_digit(peek()))
      fail("expected a number in the header's shape, got " + in_quotes(rest_.substr(0, 1)));
    while (number_details::is_digit(peek())) {
      if (value > (std::numeric_limits<std::size_t>::max() >> 8) / 10)
        fail("expected a smaller shape in the header, got a number too large");
      value = value * 10 + static_cast<std::size_t>(rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return value;
  }

  bool truth() {
    for (const std::string_view word : {"True", "False"}) {
      if (peek() == word[0] && rest_.starts_with(word)) {
        rest_.remove_prefix(word.size());
        return word == "True";
      }
    }
    fail("expected True or False in the header, got " + in_quotes(rest_.substr(0, 5)));
  }

  std::string quoted_word() {
    const char quote = peek();
    if (quote != '\'' && quote != '"')
      fail("expected a quoted word in the header, got " + in_quotes(rest_.substr(0, 8)));
    const std::size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) fail("expected a closing quote in the header, got its end");
    const std::string word(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return word;
  }

  /// The next character that is not blank; 0 at the end.
  char peek() {
    const std::size_t start = std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size());
    rest_.remove_prefix(start);
    return rest_.empty() ? '\0' : rest_.front();
  }
  bool accept(char letter) {
    if (peek() != letter) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char letter) {
    if (!accept(letter))
      fail(std::string("expected ") + letter + " in the header, got " + in_quotes(rest_.substr(0, 8)));
  }
  [[noreturn]] void fail(const std::string& problem) const { throw FileError({file_}, problem); }

  std::string_view rest_;
  const std::string& file_;
  NpyHeader header_;
  bool has_type_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
};

/// Throws unless the data that is left is what shape and type say, and may take the memory it will.
void check_size(const ByteSource& source, const NpyHeader& header) {
  const std::size_t available = static_cast<std::size_t>(source.remaining());
  std::size_t bytes = header.size;
  bool too_many = false;
  for (const std::size_t extent : header.shape) {
    if (extent != 0 && bytes > std::numeric_limits<std::size_t>::max() / extent) too_many = true;
    bytes *= extent;
  }
  if (!too_many && bytes == available) {
    const bool is_text = header.kind == 'U' || header.kind == 'S';
    source.require_room(std::max(bytes, header.elements() * (is_text ? sizeof(std::string) : sizeof(double))));
    return;
  }
  throw FileError(
      {source.name()},
      message("expected ", too_many ? "more bytes than there can be" : message(bytes, " bytes"), " for shape ",
              shape_text(header.shape), " of elements of ", header.size, " bytes, got ", available));
}

}  // namespace

std::size_t NpyHeader::elements() const noexcept {
  std::size_t count = 1;
  for (const std::size_t extent : shape) count *= extent;
  return count;
}

NpyHeader read_npy_header(ByteSource& source) {
  char start[8];
  source.read(start, sizeof start);
  const int version = start[6];
  if (std::string_view(start, kMagic.size()) != kMagic || version < 1 || version > 3 || start[7] != 0) {
    throw FileError({source.name()},
                    "expected a NumPy array of version 1, 2 or 3, got " + in_quotes({start, sizeof start}));
  }
  char size_bytes[4] = {};
  source.read(size_bytes, version == 1 ? 2 : 4);
  const std::size_t size = little_endian<std::uint32_t>(size_bytes);
  if (size > kLongestHeader)
    throw FileError({source.name()}, message("expected a header of at most ", kLongestHeader, " bytes, got ", size));
  std::string text(size, '\0');
  source.read(text.data(), size);
  NpyHeader header = HeaderText(text, source.name()).parse();
  check_size(source, header);
  return header;
}

std::string shape_text(const std::vector<std::size_t>& shape) {
  std::string text = "(";
  for (std::size_t axis = 0; axis < shape.size(); ++axis) text += (axis == 0 ? "" : ", ") + std::to_string(shape[axis]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

void write_npy_header(ByteSink& sink, std::string_view type, const std::vector<std::size_t>& shape) {
  std::string text =
      "{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': " + shape_text(shape) + ", }";
  const std::size_t before = kMagic.size() + 4;  // with version and size
  text.append(kNpyHeaderAlignment - 1 - (before + text.size()) % kNpyHeaderAlignment, ' ');
  text += '\n';
  std::string start(kMagic);
  start += {1, 0};
  append_little_endian(start, static_cast<std::uint16_t>(text.size()));
  sink.write(start + text);
}

}  // namespace diffeo::files
