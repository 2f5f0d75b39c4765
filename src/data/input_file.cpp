#include "data/input_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "diffeo/error.hpp"
#include "diffeo/file_error.hpp"

namespace diffeo::files {
namespace {

constexpr int kWait = 100;  // milliseconds
/// A number takes a byte or more in a file, and 8 in memory; 64 leaves room for compressed files of series, which seldom
/// shrink by more than 10.
constexpr std::uint64_t kHonestExpansion = 64;
constexpr std::uint64_t kAlwaysAllowed = std::uint64_t{1} << 30;
constexpr std::size_t kCopyBytes = std::size_t{1} << 18;

void write_at(int descriptor, std::uint64_t offset, std::string_view bytes, const std::string& name) {
  while (!bytes.empty()) {
    const ssize_t written = pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno != EINTR) throw FileAccessError(name, "written", errno);
    if (written < 0) continue;
    bytes.remove_prefix(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
}

}  // namespace

InputFile::InputFile(const std::filesystem::path& path)
    : name_(path.string()), descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) throw FileAccessError(name_, "opened", errno);
  look();
}

InputFile::InputFile() : name_("standard input"), descriptor_(dup(STDIN_FILENO)) {
  if (descriptor_ < 0) throw FileAccessError(name_, "opened", errno);
  look();
}

void InputFile::look() {
  struct stat status;
  if (fstat(descriptor_, &status) != 0) return;
  if (S_ISDIR(status.st_mode)) {
    close(descriptor_);
    throw FileAccessError(name_, "read", EISDIR);
  }
  if (!S_ISREG(status.st_mode)) return;
  size_ = static_cast<std::uint64_t>(status.st_size);
  // Standard input may be a file that somebody has read from already: what comes is what is left.
  seekable_ = lseek(descriptor_, 0, SEEK_CUR) == 0;
}

InputFile::InputFile(std::string name, int descriptor) : name_(std::move(name)), descriptor_(descriptor) { look(); }

InputFile::InputFile(InputFile&& other) noexcept
    : name_(std::move(other.name_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_),
      seekable_(other.seekable_),
      bytes_read_(other.bytes_read_),
      terms_(std::move(other.terms_)) {}

InputFile InputFile::again() const {
  const int descriptor = fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  if (descriptor < 0) throw FileAccessError(name_, "opened", errno);
  InputFile file(name_, descriptor);
  if (seekable_) file.seek(0);
  file.seekable_ = seekable_;
  file.terms_ = terms_;
  return file;
}

InputFile::~InputFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

/// Until there is something to read, or the end; a file on disk never keeps anybody waiting.
void InputFile::wait() {
  if (!terms_.waiting || seekable_) return;
  pollfd coming{descriptor_, POLLIN, 0};
  int ready = 0;
  do {
    terms_.waiting();
    ready = poll(&coming, 1, kWait);
  } while (ready == 0 || (ready < 0 && errno == EINTR));
}

std::size_t InputFile::read(char* to, std::size_t count) {
  wait();
  while (true) {
    const ssize_t got = ::read(descriptor_, to, count);
    if (got >= 0) {
      bytes_read_ += static_cast<std::uint64_t>(got);
      return static_cast<std::size_t>(got);
    }
    if (errno != EINTR) throw FileAccessError(name_, "read", errno);
  }
}

void InputFile::require_room(const std::string& name, std::uint64_t bytes) const {
  const std::uint64_t honest = std::max(kAlwaysAllowed, kHonestExpansion * std::max(size_, bytes_read_));
  const std::uint64_t most = terms_.max_size == 0 ? honest : terms_.max_size;
  if (bytes <= most) return;
  throw FileError({name}, message("expected to take at most ", most, " bytes of memory (max_size), got ", bytes));
}

void InputFile::warn(const std::string& oddity) const {
  if (terms_.warning) terms_.warning(FileError({name_}, oddity).what());
}

void InputFile::seek(std::uint64_t offset) {
  if (lseek(descriptor_, static_cast<off_t>(offset), SEEK_SET) < 0) throw FileAccessError(name_, "read", errno);
}

namespace {

/// A descriptor of a temporary file without a name, closed unless it is released.
class TemporaryFile {
 public:
  TemporaryFile() : path_((std::filesystem::temp_directory_path() / "diffeo-XXXXXX").string()) {
    descriptor_ = mkostemp(path_.data(), O_CLOEXEC);
    if (descriptor_ < 0) throw FileAccessError(path_, "written", errno);
    unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  void append(std::string_view bytes) {
    write_at(descriptor_, size_, bytes, path_);
    size_ += bytes.size();
  }
  [[nodiscard]] int release() { return std::exchange(descriptor_, -1); }

 private:
  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace

InputFile at_any_place(InputFile file) {
  if (file.seekable()) return file;
  TemporaryFile copy;
  std::vector<char> block(kCopyBytes);
  while (const std::size_t count = file.read(block.data(), block.size())) copy.append({block.data(), count});
  InputFile result(file.name(), copy.release());
  result.terms_ = file.terms_;
  return result;
}

InputFile decompressed(InputFile file) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> source(gzdopen(dup(file.descriptor_), "rb"), gzclose_r);
  if (source == nullptr) throw FileAccessError(file.name(), "read", ENOMEM);
  TemporaryFile copy;
  std::vector<char> block(kCopyBytes);
  for (std::uint64_t bytes = 0; true;) {
    const int count = gzread(source.get(), block.data(), static_cast<unsigned>(block.size()));
    int problem = Z_OK;
    (void)gzerror(source.get(), &problem);
    if (count < 0 || problem == Z_BUF_ERROR) {
      throw FileError({file.name()}, "expected a file compressed by gzip, got one that is cut short or damaged");
    }
    if (count == 0) break;
    bytes += static_cast<std::uint64_t>(count);
    file.require_room(file.name(), bytes);
    copy.append({block.data(), static_cast<std::size_t>(count)});
  }
  if (gzdirect(source.get()) != 0) throw FileError({file.name()}, "expected a file compressed by gzip, got another");
  InputFile result(file.name(), copy.release());
  result.terms_ = file.terms_;
  return result;
}

}  // namespace diffeo::files
