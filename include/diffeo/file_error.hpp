// Errors about files: FILE:LINE:COLUMN: expected and actual content.
//
// Lines and columns count from 1. A column counts fields (values), or characters in formats without fields.
// Binary formats have neither. FileError is a std::runtime_error: the call is valid, but the file is not. A file that
// cannot be opened, read or written throws FileAccessError, which carries the system's error number.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace diffeo {

/// A place in a file; line 0 means the file as a whole, column 0 the line as a whole.
struct FilePlace {
  std::string file;
  std::size_t line = 0;
  std::size_t column = 0;
};

class FileError : public std::runtime_error {
 public:
  FileError(FilePlace place, const std::string& problem);

  [[nodiscard]] const FilePlace& place() const noexcept { return place_; }

 private:
  FilePlace place_;
};

/// An error of the system: FILE: cannot be opened: No such file or directory.
class FileAccessError : public FileError {
 public:
  /// `attempt` completes "cannot be ...": opened, read, written.
  FileAccessError(std::string file, const std::string& attempt, int error_number);

  /// As in <cerrno>.
  [[nodiscard]] int error_number() const noexcept { return error_number_; }

 private:
  int error_number_;
};

}  // namespace diffeo
