#include "data/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "data/number_text.hpp"
#include "diffeo/file_error.hpp"

namespace diffeo::files {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 18;

std::filesystem::path behind_links(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  const std::filesystem::path target = std::filesystem::weakly_canonical(path, error);
  return error ? path : target;
}

}  // namespace

OutputFile::OutputFile(const std::filesystem::path& path) : name_(path.string()), target_(behind_links(path)) {
  if (std::error_code error; std::filesystem::is_directory(target_, error)) {
    throw FileAccessError(name_, "written", EISDIR);
  }
  buffer_.reserve(kBufferBytes);
  struct stat status {};
  const bool exists = stat(target_.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) throw FileAccessError(name_, "written", errno);
    return;
  }
  for (int attempt = 0; descriptor_ < 0; ++attempt) {
    beside_ = target_;
    beside_ += ".partial-" + std::to_string(getpid()) + "-" + std::to_string(attempt);
    descriptor_ = open(beside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST) throw FileAccessError(name_, "written", errno);
  }
  if (exists) (void)fchmod(descriptor_, status.st_mode & 07777);
}

OutputFile::OutputFile() : name_("standard output"), descriptor_(dup(STDOUT_FILENO)) {
  if (descriptor_ < 0) throw FileAccessError(name_, "written", errno);
  buffer_.reserve(kBufferBytes);
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!beside_.empty()) unlink(beside_.c_str());
}

void OutputFile::write(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() >= kBufferBytes) flush();
}

void OutputFile::write_number(double value) {
  append_number(buffer_, value);
  if (buffer_.size() >= kBufferBytes) flush();
}

void OutputFile::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      throw FileAccessError(name_, "written", errno);
    }
  }
  buffer_.clear();
}

void OutputFile::write_over(std::uint64_t offset, std::string_view bytes) {
  flush();
  while (!bytes.empty()) {
    const ssize_t written = pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
      offset += static_cast<std::uint64_t>(written);
    } else if (errno != EINTR) {
      throw FileAccessError(name_, "written", errno);
    }
  }
}

void OutputFile::close_file() {
  const int descriptor = descriptor_;
  if (fsync(descriptor) != 0 && errno != EINVAL) throw FileAccessError(name_, "written", errno);
  descriptor_ = -1;
  if (close(descriptor) != 0) throw FileAccessError(name_, "written", errno);
}

void OutputFile::commit() {
  flush();
  if (!is_replaceable()) return;
  close_file();
  if (std::rename(beside_.c_str(), target_.c_str()) != 0) throw FileAccessError(name_, "written", errno);
  beside_.clear();
}

}  // namespace diffeo::files
