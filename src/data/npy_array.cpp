#include "data/npy_array.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>

#include "data/number_text.hpp"
#include "data/text_source.hpp"
#include "diffeo/error.hpp"
#include "diffeo/file_error.hpp"

namespace diffeo::files {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kLongestHeader = std::size_t{1} << 16;
constexpr std::size_t kHeaderAlignment = 64;
constexpr std::size_t kBlockBytes = std::size_t{1} << 18;
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

/// Throws unless the data that is left is what shape and type say.
void check_size(const ByteSource& source, const NpyHeader& header) {
  const std::size_t available = static_cast<std::size_t>(source.remaining());
  std::size_t bytes = header.size;
  bool too_many = false;
  for (const std::size_t extent : header.shape) {
    if (extent != 0 && bytes > std::numeric_limits<std::size_t>::max() / extent) too_many = true;
    bytes *= extent;
  }
  if (!too_many && bytes == available) return;
  throw FileError(
      {source.name()},
      message("expected ", too_many ? "more bytes than there can be" : message(bytes, " bytes"), " for shape ",
              shape_text(header.shape), " of elements of ", header.size, " bytes, got ", available));
}

template <class Bits>
Bits bits_at(const char* element, bool big_endian) noexcept {
  Bits bits;
  std::memcpy(&bits, element, sizeof bits);
  if (big_endian == (std::endian::native == std::endian::big)) return bits;
  Bits swapped = 0;
  for (std::size_t i = 0; i < sizeof bits; ++i) swapped = static_cast<Bits>(swapped << 8 | (bits >> (8 * i) & 0xFF));
  return swapped;
}

double half_to_double(std::uint16_t bits) noexcept {
  const int exponent = bits >> 10 & 31;
  const double fraction = bits & 1023;
  double size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  if (exponent == 31)
    size = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  return bits >> 15 ? -size : size;
}

/// What an element is, handed to visit(number) as the C++ type that holds it exactly.
template <class Visit>
auto visit_number(const char* element, const NpyHeader& header, const Visit& visit) {
  const bool big = header.big_endian;
  const std::uint64_t bits = header.size == 1   ? static_cast<unsigned char>(*element)
                             : header.size == 2 ? bits_at<std::uint16_t>(element, big)
                             : header.size == 4 ? bits_at<std::uint32_t>(element, big)
                                                : bits_at<std::uint64_t>(element, big);
  if (header.kind == 'u' || header.kind == 'b') return visit(bits);
  if (header.kind == 'i') {
    const auto shift = static_cast<int>(64 - 8 * header.size);
    return visit(static_cast<std::int64_t>(bits << shift) >> shift);
  }
  if (header.size == 2) return visit(half_to_double(static_cast<std::uint16_t>(bits)));
  if (header.size == 4) return visit(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  return visit(std::bit_cast<double>(bits));
}

struct AsDouble {
  template <class Number>
  double operator()(Number number) const noexcept {
    return static_cast<double>(number);
  }
};

struct AsText {
  std::string operator()(double number) const { return float_label(number); }
  std::string operator()(float number) const { return float_label(number); }
  template <class Integer>
  std::string operator()(Integer number) const {
    return std::to_string(number);
  }
};

/// Calls use(element) for every element in the order of the file, reading block by block.
template <class Use>
void for_each_element(ByteSource& source, const NpyHeader& header, const Use& use) {
  const std::size_t per_block = std::max<std::size_t>(1, kBlockBytes / std::max<std::size_t>(1, header.size));
  std::size_t left = header.elements();
  std::vector<char> block(std::min(left, per_block) * header.size);
  while (left > 0) {
    const std::size_t count = std::min(left, per_block);
    source.read(block.data(), count * header.size);
    for (std::size_t i = 0; i < count; ++i) use(block.data() + i * header.size);
    left -= count;
  }
}

/// The place in C order of elements that come in Fortran order.
class FortranOrder {
 public:
  explicit FortranOrder(const std::vector<std::size_t>& shape)
      : shape_(shape), index_(shape.size()), stride_(shape.size(), 1) {
    for (std::size_t axis = shape.size(); axis-- > 1;) stride_[axis - 1] = stride_[axis] * shape[axis];
  }
  std::size_t next() noexcept {
    const std::size_t place = place_;
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
      place_ += stride_[axis];
      if (++index_[axis] < shape_[axis]) break;
      place_ -= stride_[axis] * shape_[axis];
      index_[axis] = 0;
    }
    return place;
  }

 private:
  const std::vector<std::size_t>& shape_;
  std::vector<std::size_t> index_;
  std::vector<std::size_t> stride_;
  std::size_t place_ = 0;
};

void append_code_point(std::string& text, std::uint32_t code) {
  const auto byte = [&](std::uint32_t value) { text += static_cast<char>(static_cast<unsigned char>(value)); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | code >> 6);
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | (code >> 18 & 0x3F));
    byte(0x80 | (code >> 12 & 0x3F));
    byte(0x80 | (code >> 6 & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

/// Text as NumPy has it: filled up with zeros.
std::string text_of(const char* element, const NpyHeader& header) {
  if (header.kind == 'S') {
    std::string_view bytes(element, header.size);
    while (bytes.ends_with('\0')) bytes.remove_suffix(1);
    return std::string(bytes);
  }
  std::size_t count = header.size / 4;
  const auto code = [&](std::size_t i) { return bits_at<std::uint32_t>(element + 4 * i, header.big_endian); };
  while (count > 0 && code(count - 1) == 0) --count;
  std::string text;
  for (std::size_t i = 0; i < count; ++i) append_code_point(text, std::min<std::uint32_t>(code(i), 0x1FFFFF));
  return text;
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

std::vector<double> read_npy_numbers(ByteSource& source, const NpyHeader& header) {
  if (header.kind == 'U' || header.kind == 'S') throw FileError({source.name()}, "expected numbers, got text");
  std::vector<double> values(header.elements());
  const bool as_they_are = header.kind == 'f' && header.size == 8 && !header.fortran_order &&
                           header.big_endian == (std::endian::native == std::endian::big);
  if (as_they_are) {
    source.read(reinterpret_cast<char*>(values.data()), values.size() * sizeof(double));
  } else if (header.fortran_order) {
    FortranOrder order(header.shape);
    for_each_element(source, header,
                     [&](const char* element) { values[order.next()] = visit_number(element, header, AsDouble()); });
  } else {
    double* next = values.data();
    for_each_element(source, header, [&](const char* element) { *next++ = visit_number(element, header, AsDouble()); });
  }
  return values;
}

std::vector<std::string> read_npy_texts(ByteSource& source, const NpyHeader& header) {
  std::vector<std::string> texts;
  for_each_element(source, header, [&](const char* element) {
    if (header.kind == 'U' || header.kind == 'S') {
      texts.push_back(text_of(element, header));
      if (!is_utf8(texts.back()))
        throw FileError({source.name()}, "expected text in Unicode, got " + in_quotes(texts.back()));
    } else if (header.kind == 'b') {
      texts.emplace_back(*element == 0 ? "False" : "True");
    } else {
      texts.push_back(visit_number(element, header, AsText()));
    }
  });
  return texts;
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
  text.append(kHeaderAlignment - 1 - (before + text.size()) % kHeaderAlignment, ' ');
  text += '\n';
  std::string start(kMagic);
  start += {1, 0};
  append_little_endian(start, static_cast<std::uint16_t>(text.size()));
  sink.write(start + text);
}

}  // namespace diffeo::files
