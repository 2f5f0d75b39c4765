// A file opened for reading, or standard input; what the system refuses is a FileAccessError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>

namespace diffeo::files {

/// What whoever opens a file asks of its reader.
struct ReadTerms {
  /// Called at every `read` of a pipe, and ten times a second while it waits; what it throws comes out.
  std::function<void()> waiting = {};
  /// What is odd about the file, in one line with its name.
  std::function<void(const std::string&)> warning = {};
  /// Bytes of memory for what is in the file; 0 for as many as seem honest.
  std::uint64_t max_size = 0;
};

class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& path);
  /// Standard input.
  InputFile();
  InputFile(InputFile&& other) noexcept;
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// In bytes; 0 where the system cannot say.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  /// The same file from its start; one at a time may be read.
  [[nodiscard]] InputFile again() const;
  void set_terms(ReadTerms terms) { terms_ = std::move(terms); }
  /// FileError if what is in the file, or in the part of it called `name`, would take more memory than the terms allow:
  /// by default 64 times the bytes of the file, at least 1 GiB.
  void require_room(const std::string& name, std::uint64_t bytes) const;
  void warn(const std::string& oddity) const;
  /// Reads on: up to `count` bytes, 0 only at the end.
  [[nodiscard]] std::size_t read(char* to, std::size_t count);
  void seek(std::uint64_t offset);
  /// Whether `seek` works; a pipe can be read only once.
  [[nodiscard]] bool seekable() const noexcept { return seekable_; }

 private:
  friend InputFile at_any_place(InputFile file);
  friend InputFile decompressed(InputFile file);
  /// Takes the descriptor over.
  InputFile(std::string name, int descriptor);
  void look();
  void wait();

  std::string name_;
  int descriptor_;
  std::uint64_t size_ = 0;
  bool seekable_ = false;
  std::uint64_t bytes_read_ = 0;
  ReadTerms terms_;
};

/// The file itself, or, of a pipe, a copy of what comes from it in a temporary file that nobody else sees.
[[nodiscard]] InputFile at_any_place(InputFile file);
/// What a file compressed by gzip holds, in a temporary file that nobody else sees. FileError where it is cut short.
[[nodiscard]] InputFile decompressed(InputFile file);

}  // namespace diffeo::files
