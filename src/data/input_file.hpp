// A file opened for reading; what the system refuses is a FileAccessError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace diffeo::files {

class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& path);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// In bytes; 0 where the system cannot say.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  /// Reads on: up to `count` bytes, 0 only at the end.
  [[nodiscard]] std::size_t read(char* to, std::size_t count);
  void seek(std::uint64_t offset);

 private:
  std::string name_;
  int descriptor_;
  std::uint64_t size_ = 0;
};

}  // namespace diffeo::files
