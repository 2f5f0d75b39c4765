#include "diffeo/result_store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

#include "diffeo/error.hpp"
#include "diffeo/file_error.hpp"
#include "experiments/descriptor.hpp"

namespace diffeo {
namespace {

using std::filesystem::path;

/// A child that a killed process has just forked holds its lock until it closes its copy.
constexpr std::chrono::milliseconds kPatience{1000};
constexpr std::chrono::milliseconds kRetryInterval{20};

path results_file(const path& directory) { return directory / "results.jsonl"; }

Descriptor opened(const path& file, int flags) {
  Descriptor descriptor(open(file.c_str(), flags | O_CLOEXEC, 0666));
  if (!descriptor.is_open()) throw FileAccessError(file.string(), "opened", errno);
  return descriptor;
}

std::string content(const Descriptor& descriptor, const path& file) {
  std::string text;
  std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t count = pread(descriptor.number(), buffer.data(), buffer.size(), static_cast<off_t>(text.size()));
    if (count == 0) return text;
    if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
    if (count < 0 && errno != EINTR) throw FileAccessError(file.string(), "read", errno);
  }
}

void write_all(const Descriptor& descriptor, const path& file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor.number(), text.data(), text.size());
    if (written < 0 && errno != EINTR) throw FileAccessError(file.string(), "written", errno);
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void flush_to_disk(const Descriptor& descriptor, const path& file) {
  if (fsync(descriptor.number()) != 0 && errno != EINVAL) throw FileAccessError(file.string(), "written", errno);
}

/// A new name is on disk only when its folder is.
void flush_names(const path& folder) {
  const path named = folder.empty() ? "." : folder;
  flush_to_disk(opened(named, O_RDONLY | O_DIRECTORY), named);
}

void create_folders(const path& folder) {
  if (folder.empty() || std::filesystem::is_directory(folder)) return;
  create_folders(folder.parent_path());
  std::filesystem::create_directory(folder);
  flush_names(folder.parent_path());
}

/// What follows the last whole line.
std::string_view unended(std::string_view text) { return text.substr(text.rfind('\n') + 1); }

/// Empty for a line that was being written: no part of a JSON object is one.
std::optional<EvaluationResult> whole_result(std::string_view line) {
  try {
    return result_of_line(line);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

EvaluationResult result_of_numbered_line(std::string_view line, const path& file, std::size_t number) {
  try {
    return result_of_line(line);
  } catch (const std::invalid_argument& problem) {
    throw FileError({file.string(), number}, problem.what());
  }
}

/// The results in all lines, including a last one that only lacks its end.
std::vector<EvaluationResult> results_in(std::string_view text, const path& file) {
  std::vector<EvaluationResult> results;
  const std::string_view last = unended(text);
  text.remove_suffix(last.size());
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    if (end > 0) results.push_back(result_of_numbered_line(text.substr(0, end), file, number));
    text.remove_prefix(end + 1);
  }
  if (std::optional<EvaluationResult> result = whole_result(last)) results.push_back(std::move(*result));
  return results;
}

/// All of it or nothing, for example on a full disk. Opens the file, because an editor may have replaced it.
void append_line(const path& file, const std::string& line) {
  const Descriptor descriptor = opened(file, O_WRONLY | O_CREAT | O_APPEND);
  const off_t size = lseek(descriptor.number(), 0, SEEK_END);
  try {
    write_all(descriptor, file, line + "\n");
    flush_to_disk(descriptor, file);
  } catch (const FileAccessError&) {
    (void)!ftruncate(descriptor.number(), size);  // if this fails too, the next store repairs it
    throw;
  }
}

/// Ends the last line or cuts it off; in the latter case, says so.
std::string repaired(const path& file) {
  const Descriptor descriptor = opened(file, O_RDWR | O_CREAT | O_APPEND);
  const std::string text = content(descriptor, file);
  const std::string_view last = unended(text);
  if (last.empty()) return "";
  const bool is_whole = whole_result(last).has_value();
  if (is_whole) write_all(descriptor, file, "\n");
  if (!is_whole && ftruncate(descriptor.number(), static_cast<off_t>(text.size() - last.size())) != 0) {
    throw FileAccessError(file.string(), "written", errno);
  }
  flush_to_disk(descriptor, file);
  if (is_whole) return "";
  return message(file.string(), ": cut off an incomplete last line (", last.size(), " bytes) of a run that was killed");
}

}  // namespace

class ResultStore::Lock {
 public:
  explicit Lock(const path& directory) : file_(directory / ".lock"), descriptor_(opened(file_, O_RDWR | O_CREAT)) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    for (; !is_taken(); std::this_thread::sleep_for(kRetryInterval)) {
      if (std::chrono::steady_clock::now() > end) refuse(directory);
    }
    sign();
  }

 private:
  [[nodiscard]] bool is_taken() const {
    if (flock(descriptor_.number(), LOCK_EX | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK && errno != EINTR) throw FileAccessError(file_.string(), "locked", errno);
    return false;
  }

  /// Names this process, for others.
  void sign() const {
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    if (ftruncate(descriptor_.number(), 0) != 0) throw FileAccessError(file_.string(), "written", errno);
    write_all(descriptor_, file_, message("process ", getpid(), " on ", host.data()));
  }

  [[noreturn]] void refuse(const path& directory) const {
    const std::string owner = content(descriptor_, file_);
    throw std::runtime_error(message(directory.string(), ": in use by ", owner.empty() ? "another process" : owner,
                                     "; one run at a time can add to it"));
  }

  path file_;
  Descriptor descriptor_;
};

ResultStore::ResultStore(const path& directory) : directory_(directory), file_(results_file(directory)) {
  create_folders(directory_);
  lock_ = std::make_unique<Lock>(directory_);
  results_ = read_results(directory_);
  repair_ = repaired(file_);
  flush_names(directory_);
  for (std::size_t place = 0; place < results_.size(); ++place) places_.emplace(results_[place].item, place);
}

ResultStore::~ResultStore() = default;

void ResultStore::leave_lock_to_parent() noexcept { lock_.reset(); }

const EvaluationResult* ResultStore::find(const WorkItem& item) const {
  const auto found = places_.find(item);
  return found == places_.end() ? nullptr : &results_[found->second];
}

const EvaluationResult& ResultStore::add(const EvaluationResult& result) {
  if (const EvaluationResult* first = find(result.item)) return *first;
  append_line(file_, to_line(result));
  places_.emplace(result.item, results_.size());
  results_.push_back(result);
  return results_.back();
}

std::vector<EvaluationResult> read_results(const path& directory) {
  const path file = results_file(directory);
  if (!std::filesystem::exists(file)) return {};
  std::vector<EvaluationResult> results = results_in(content(opened(file, O_RDONLY), file), file);
  std::set<WorkItem> known;
  std::erase_if(results, [&](const EvaluationResult& each) { return !known.insert(each.item).second; });
  return results;
}

}  // namespace diffeo
