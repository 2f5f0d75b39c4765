// A file written beside the one it will replace.
//
// Everything goes to a new file in the same directory, which takes the name when `commit` has brought it to disk.
// Without commit, after any error, the new file is removed and what was there stays. A symbolic link stays a link, and
// an existing file's permissions are kept.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace diffeo::files {

class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  /// The name it will have.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  void write(std::string_view bytes);
  void write(char byte) { write(std::string_view(&byte, 1)); }
  /// In the fewest digits that give it back.
  void write_number(double value);
  void commit();

 private:
  void flush();
  void close_file();

  std::string name_;
  std::filesystem::path target_;
  std::filesystem::path beside_;
  int descriptor_ = -1;
  std::string buffer_;
};

}  // namespace diffeo::files
