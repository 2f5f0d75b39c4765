#include "figures/picture.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace diffeo::figures {
namespace {

constexpr std::size_t kLargestStoredBlock = 65535;  // bytes, what its two bytes of length can say

void append_big_endian(std::string& bytes, std::uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<char>((value >> shift) & 0xFFu));
}

std::uint32_t cyclic_redundancy(std::string_view bytes) {
  std::uint32_t sum = 0xFFFFFFFFu;
  for (const char byte : bytes) {
    sum ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1u) != 0 ? 0xEDB88320u : 0u);
  }
  return ~sum;
}

std::uint32_t adler(std::string_view bytes) {
  constexpr std::uint32_t prime = 65521;
  std::uint32_t first = 1;
  std::uint32_t second = 0;
  for (const char byte : bytes) {
    first = (first + static_cast<unsigned char>(byte)) % prime;
    second = (second + first) % prime;
  }
  return second << 16 | first;
}

void append_chunk(std::string& png, std::string_view kind, std::string_view content) {
  append_big_endian(png, static_cast<std::uint32_t>(content.size()));
  const std::string body = std::string(kind).append(content);
  png += body;
  append_big_endian(png, cyclic_redundancy(body));
}

void append_little_endian(std::string& bytes, std::size_t value) {
  bytes.push_back(static_cast<char>(value & 0xFFu));
  bytes.push_back(static_cast<char>(value >> 8 & 0xFFu));
}

/// A zlib stream that holds the bytes as they are.
std::string stored(std::string_view bytes) {
  std::string stream = "\x78\x01";
  std::size_t start = 0;
  do {
    const std::size_t size = std::min(kLargestStoredBlock, bytes.size() - start);
    stream.push_back(start + size == bytes.size() ? '\x01' : '\x00');
    append_little_endian(stream, size);
    append_little_endian(stream, ~size);
    stream.append(bytes.substr(start, size));
    start += size;
  } while (start < bytes.size());
  append_big_endian(stream, adler(bytes));
  return stream;
}

std::string header_content(std::size_t width, std::size_t height) {
  std::string content;
  append_big_endian(content, static_cast<std::uint32_t>(width));
  append_big_endian(content, static_cast<std::uint32_t>(height));
  return content.append("\x08\x03\x00\x00\x00", 5);  // eight bits, palette, usual compression and filter, no interlace
}

std::string palette_content(std::span<const Colour> palette) {
  std::string content;
  for (const Colour& colour : palette) {
    for (const std::uint8_t value : colour) content.push_back(static_cast<char>(value));
  }
  return content;
}

/// Every row begins with the number of its filter: none.
std::string rows_content(std::span<const std::uint8_t> points, std::size_t width) {
  std::string content;
  for (std::size_t start = 0; start < points.size(); start += width) {
    content.push_back('\0');
    for (const std::uint8_t point : points.subspan(start, width)) content.push_back(static_cast<char>(point));
  }
  return content;
}

}  // namespace

std::string png_of(std::span<const std::uint8_t> points, std::size_t width, std::size_t height,
                   std::span<const Colour> palette, bool first_is_clear) {
  std::string png = "\x89PNG\r\n\x1a\n";
  append_chunk(png, "IHDR", header_content(width, height));
  append_chunk(png, "PLTE", palette_content(palette));
  if (first_is_clear) append_chunk(png, "tRNS", std::string_view("\0", 1));
  append_chunk(png, "IDAT", stored(rows_content(points, width)));
  append_chunk(png, "IEND", "");
  return png;
}

std::string data_address(const std::string& png) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text = "data:image/png;base64,";
  for (std::size_t start = 0; start < png.size(); start += 3) {
    std::uint32_t bits = 0;
    const std::size_t there = std::min<std::size_t>(3, png.size() - start);
    for (std::size_t next = 0; next < 3; ++next) {
      bits = bits << 8 | (next < there ? static_cast<unsigned char>(png[start + next]) : 0u);
    }
    for (std::size_t digit = 0; digit < 4; ++digit) {
      text.push_back(digit <= there ? letters[bits >> (18 - 6 * digit) & 63u] : '=');
    }
  }
  return text;
}

}  // namespace diffeo::figures
