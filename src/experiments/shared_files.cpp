#include "experiments/shared_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <random>
#include <utility>

#include "diffeo/error.hpp"
#include "diffeo/file_error.hpp"

namespace diffeo {
namespace {

/// A file of that content under a name of its own beside `file`.
std::filesystem::path written_beside(const std::filesystem::path& file, std::string_view text, Durability durability) {
  const std::filesystem::path beside = file.parent_path() / message(".", file.filename().string(), ".", random_token());
  const Descriptor descriptor(open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!descriptor.is_open()) throw FileAccessError(beside.string(), "opened", errno);
  try {
    write_all(descriptor, beside, text);
    if (durability == Durability::on_disk) bring_to_disk(descriptor, beside);
  } catch (...) {
    unlink(beside.c_str());
    throw;
  }
  return beside;
}

}  // namespace

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

Descriptor::~Descriptor() {
  if (is_open()) close(number_);
}

std::optional<std::string> shared_content(const std::filesystem::path& file, std::size_t start) {
  const Descriptor descriptor(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!descriptor.is_open()) {
    if (errno == ENOENT) return std::nullopt;
    throw FileAccessError(file.string(), "opened", errno);
  }
  std::string text;
  std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t count =
        pread(descriptor.number(), buffer.data(), buffer.size(), static_cast<off_t>(start + text.size()));
    if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
    if (count == 0) return text;
    if (count < 0 && errno == ESTALE) return std::nullopt;  // removed on another machine while it was read
    if (count < 0 && errno != EINTR) throw FileAccessError(file.string(), "read", errno);
  }
}

void write_all(const Descriptor& descriptor, const std::filesystem::path& file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor.number(), text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      throw FileAccessError(file.string(), "written", errno);
    }
  }
}

void bring_to_disk(const Descriptor& descriptor, const std::filesystem::path& file) {
  if (fsync(descriptor.number()) != 0 && errno != EINVAL) throw FileAccessError(file.string(), "written", errno);
}

void bring_folder_to_disk(const std::filesystem::path& folder) {
  const std::filesystem::path named = folder.empty() ? "." : folder;
  const Descriptor descriptor(open(named.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.is_open()) bring_to_disk(descriptor, named);
}

void create_folders(const std::filesystem::path& folder) {
  if (folder.empty() || std::filesystem::is_directory(folder)) return;
  create_folders(folder.parent_path());
  std::filesystem::create_directory(folder);
  bring_folder_to_disk(folder.parent_path());
}

bool create_whole(const std::filesystem::path& file, std::string_view text, Durability durability) {
  const std::filesystem::path beside = written_beside(file, text, durability);
  const bool is_ours = link(beside.c_str(), file.c_str()) == 0;
  const int problem = errno;
  unlink(beside.c_str());
  if (!is_ours && problem != EEXIST) throw FileAccessError(file.string(), "written", problem);
  if (is_ours && durability == Durability::on_disk) bring_folder_to_disk(file.parent_path());
  return is_ours;
}

void replace_whole(const std::filesystem::path& file, std::string_view text) {
  const std::filesystem::path beside = written_beside(file, text, Durability::on_disk);
  if (rename(beside.c_str(), file.c_str()) != 0) {
    const int problem = errno;
    unlink(beside.c_str());
    throw FileAccessError(file.string(), "written", problem);
  }
  bring_folder_to_disk(file.parent_path());
}

std::string random_token() {
  std::random_device bits;
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%08x%08x", static_cast<unsigned>(bits()), static_cast<unsigned>(bits()));
  return digits.data();
}

}  // namespace diffeo
