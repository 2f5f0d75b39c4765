#include "diffeo/result_store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <utility>

#include "diffeo/file_error.hpp"

namespace diffeo {
namespace {

std::string content(int descriptor, const std::string& name) {
  std::string text;
  std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
    if (count == 0) return text;
    if (count < 0 && errno != EINTR) throw FileAccessError(name, "read", errno);
  }
}

void append(int descriptor, const std::string& name, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      throw FileAccessError(name, "written", errno);
    }
  }
}

void to_disk(int descriptor, const std::string& name) {
  if (fsync(descriptor) != 0 && errno != EINVAL) throw FileAccessError(name, "written", errno);
}

}  // namespace

ResultStore::ResultStore(const std::filesystem::path& directory) : file_(directory / "results.jsonl") {
  std::filesystem::create_directories(directory);
  descriptor_ = open(file_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw FileAccessError(file_.string(), "opened", errno);
  try {
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      throw FileError({file_.string()}, "expected a file that nobody else is writing to, got one that is in use");
    }
    read();
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

ResultStore::~ResultStore() { close(descriptor_); }

void ResultStore::read() {
  const std::string text = content(descriptor_, file_.string());
  std::size_t start = 0;
  std::size_t number = 1;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', start), ++number) {
    const std::string_view line = std::string_view(text).substr(start, end - start);
    try {
      if (!line.empty()) keep(result_of_line(line));
    } catch (const std::invalid_argument& problem) {
      throw FileError({file_.string(), number}, problem.what());
    }
    start = end + 1;
  }
  if (start < text.size() && ftruncate(descriptor_, static_cast<off_t>(start)) != 0) {
    throw FileAccessError(file_.string(), "written", errno);
  }
}

void ResultStore::keep(EvaluationResult result) {
  items_.insert(result.item);
  results_.push_back(std::move(result));
}

void ResultStore::add(const EvaluationResult& result) {
  append(descriptor_, file_.string(), to_line(result) + "\n");
  to_disk(descriptor_, file_.string());
  keep(result);
}

}  // namespace diffeo
