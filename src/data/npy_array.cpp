#include "data/npy_array.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "data/number_text.hpp"
#include "data/text_source.hpp"
#include "diffeo/file_error.hpp"

namespace diffeo::files {
namespace {

constexpr std::size_t kArrayBytesAtOnce = std::size_t{1} << 18;

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

/// Calls use(element) for the next elements in the order of the file, reading block by block.
template <class Use>
void for_each_element(ByteSource& source, const NpyHeader& header, std::size_t left, const Use& use) {
  const std::size_t per_block = std::max<std::size_t>(1, kArrayBytesAtOnce / std::max<std::size_t>(1, header.size));
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

void require_numbers(const ByteSource& source, const NpyHeader& header) {
  if (header.kind == 'U' || header.kind == 'S') throw FileError({source.name()}, "expected numbers, got text");
}

}  // namespace

std::vector<double> read_npy_numbers(ByteSource& source, const NpyHeader& header, std::size_t count) {
  require_numbers(source, header);
  std::vector<double> values(count);
  const bool as_they_are =
      header.kind == 'f' && header.size == 8 && header.big_endian == (std::endian::native == std::endian::big);
  if (as_they_are) {
    source.read(reinterpret_cast<char*>(values.data()), values.size() * sizeof(double));
  } else {
    double* next = values.data();
    for_each_element(source, header, count,
                     [&](const char* element) { *next++ = visit_number(element, header, AsDouble()); });
  }
  return values;
}

std::vector<double> read_npy_numbers(ByteSource& source, const NpyHeader& header) {
  if (!header.fortran_order) return read_npy_numbers(source, header, header.elements());
  require_numbers(source, header);
  std::vector<double> values(header.elements());
  FortranOrder order(header.shape);
  for_each_element(source, header, values.size(),
                   [&](const char* element) { values[order.next()] = visit_number(element, header, AsDouble()); });
  return values;
}

std::vector<std::string> read_npy_texts(ByteSource& source, const NpyHeader& header) {
  std::vector<std::string> texts;
  for_each_element(source, header, header.elements(), [&](const char* element) {
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

}  // namespace diffeo::files
