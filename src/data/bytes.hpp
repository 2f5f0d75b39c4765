// Bytes in and out, whatever they come from or go to: a file, a compressed part of one, a checksum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "data/input_file.hpp"
#include "data/output_file.hpp"

namespace diffeo::files {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// For messages: the file, and the part of it where there are parts.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// How many bytes are left; as many as the source claims to have.
  [[nodiscard]] std::uint64_t remaining() const noexcept { return remaining_; }
  /// Exactly `count` bytes; FileError where fewer are left.
  void read(char* to, std::size_t count);
  /// FileError if so much memory is more than what is read may take.
  virtual void require_room(std::uint64_t bytes) const = 0;

  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

 protected:
  ByteSource(std::string name, std::uint64_t size) : name_(std::move(name)), remaining_(size) {}

 private:
  /// Up to `count` bytes, 0 only at the end.
  [[nodiscard]] virtual std::size_t read_some(char* to, std::size_t count) = 0;

  std::string name_;
  std::uint64_t remaining_;
};

/// `size` bytes of a file from where it stands.
class FileBytes final : public ByteSource {
 public:
  FileBytes(InputFile& file, std::uint64_t size) : ByteSource(file.name(), size), file_(file) {}
  void require_room(std::uint64_t bytes) const override { file_.require_room(name(), bytes); }

 private:
  [[nodiscard]] std::size_t read_some(char* to, std::size_t count) override { return file_.read(to, count); }

  InputFile& file_;
};

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual void write(std::string_view bytes) = 0;
};

class FileSink final : public ByteSink {
 public:
  explicit FileSink(OutputFile& file) : file_(file) {}
  void write(std::string_view bytes) override { file_.write(bytes); }

 private:
  OutputFile& file_;
};

/// An unsigned integer, the least significant byte first.
template <class Integer>
void append_little_endian(std::string& bytes, Integer value) {
  for (std::size_t i = 0; i < sizeof value; ++i)
    bytes += static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
}
template <class Integer>
[[nodiscard]] Integer little_endian(const char* bytes) noexcept {
  Integer value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i) {
    value = static_cast<Integer>(value | static_cast<Integer>(static_cast<unsigned char>(bytes[i])) << (8 * i));
  }
  return value;
}

}  // namespace diffeo::files
