#include "data/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "diffeo/file_error.hpp"

namespace diffeo::files {

InputFile::InputFile(const std::filesystem::path& path)
    : name_(path.string()), descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) throw FileAccessError(name_, "opened", errno);
  struct stat status;
  if (fstat(descriptor_, &status) != 0) return;
  if (S_ISDIR(status.st_mode)) {
    close(descriptor_);
    throw FileAccessError(name_, "read", EISDIR);
  }
  if (S_ISREG(status.st_mode)) size_ = static_cast<std::uint64_t>(status.st_size);
}

InputFile::~InputFile() { close(descriptor_); }

std::size_t InputFile::read(char* to, std::size_t count) {
  while (true) {
    const ssize_t got = ::read(descriptor_, to, count);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) throw FileAccessError(name_, "read", errno);
  }
}

void InputFile::seek(std::uint64_t offset) {
  if (lseek(descriptor_, static_cast<off_t>(offset), SEEK_SET) < 0) throw FileAccessError(name_, "read", errno);
}

}  // namespace diffeo::files
