// A file written beside the one it will replace.
//
// Everything goes to a new file in the same directory, NAME.partial-0, which takes the name when `commit` has brought it to
// disk. Without commit, after any error, the new file is removed and what was there stays. A process that was killed
// leaves its file there until somebody writes NAME again: it is locked (flock) as long as its process lives. A symbolic link stays a link, and
// an existing file's permissions are kept. Standard output, a device or a pipe can be neither replaced nor taken back:
// they are written as it comes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace diffeo::files {

class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path);
  /// Standard output: written as it comes.
  OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  /// The name it will have.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  void write(std::string_view bytes);
  void write(char byte) { write(std::string_view(&byte, 1)); }
  /// In the fewest digits that give it back.
  void write_number(double value);
  /// Whether write_over works.
  [[nodiscard]] bool is_replaceable() const noexcept { return !beside_.empty(); }
  /// Bytes that were written before, once more.
  void write_over(std::uint64_t offset, std::string_view bytes);
  void commit();

 private:
  void create_beside();
  void flush();
  void bring_to_disk();

  std::string name_;
  std::filesystem::path target_;
  std::filesystem::path beside_;
  int descriptor_ = -1;
  std::string buffer_;
};

}  // namespace diffeo::files
