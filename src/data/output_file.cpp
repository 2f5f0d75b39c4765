#include "data/output_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

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

/// Whether the open file is the one of that name, which may have been given to another.
bool is_still_named(int descriptor, const std::filesystem::path& path) {
  struct stat opened {};
  struct stat named {};
  return fstat(descriptor, &opened) == 0 && lstat(path.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino;
}

/// Whether there was a file of ours there whose process is gone: then it is gone too.
bool removed_after_death(const std::filesystem::path& path) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return errno == ENOENT;
  const bool is_dead = flock(descriptor, LOCK_EX | LOCK_NB) == 0 && is_still_named(descriptor, path);
  const bool is_removed = is_dead && unlink(path.c_str()) == 0;
  close(descriptor);
  return is_removed;
}

/// 0 if all is well, or if the folder cannot be opened for that: then it is up to the system when.
int error_of_bringing_names_to_disk(const std::filesystem::path& folder) {
  const int descriptor = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return 0;
  const int error = fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno;
  close(descriptor);
  return error;
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
  create_beside();
  if (exists) (void)fchmod(descriptor_, status.st_mode & 07777);
}

OutputFile::OutputFile() : name_("standard output"), descriptor_(dup(STDOUT_FILENO)) {
  if (descriptor_ < 0) throw FileAccessError(name_, "written", errno);
  buffer_.reserve(kBufferBytes);
}

OutputFile::~OutputFile() {
  if (!beside_.empty()) unlink(beside_.c_str());
  if (descriptor_ >= 0) close(descriptor_);
}

/// The first free name. Where somebody else removes the new file before it is locked, for one of a dead process, it is made
/// once more.
void OutputFile::create_beside() {
  for (int number = 0; descriptor_ < 0;) {
    std::filesystem::path beside = target_;
    beside += ".partial-" + std::to_string(number);
    const int descriptor = open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0) {
      if (errno != EEXIST) throw FileAccessError(name_, "written", errno);
      if (!removed_after_death(beside)) ++number;
      continue;
    }
    (void)flock(descriptor, LOCK_EX);  // a file system without locks: nobody removes anything there
    if (is_still_named(descriptor, beside)) {
      descriptor_ = descriptor;
      beside_ = beside;
    } else {
      close(descriptor);
    }
  }
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

void OutputFile::bring_to_disk() {
  if (fsync(descriptor_) != 0 && errno != EINVAL) throw FileAccessError(name_, "written", errno);
}

void OutputFile::commit() {
  flush();
  if (!is_replaceable()) return;
  bring_to_disk();
  if (std::rename(beside_.c_str(), target_.c_str()) != 0) throw FileAccessError(name_, "written", errno);
  beside_.clear();
  close(std::exchange(descriptor_, -1));  // and unlocks: only now, when nobody takes it for what a dead process left
  if (const int error = error_of_bringing_names_to_disk(target_.parent_path())) {
    throw FileAccessError(name_, "written", error);
  }
}

}  // namespace diffeo::files
