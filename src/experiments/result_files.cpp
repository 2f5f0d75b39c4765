#include "experiments/result_files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "diffeo/file_error.hpp"
#include "experiments/shared_files.hpp"

namespace diffeo {
namespace {

/// Files that are being written have their names within moments.
constexpr std::chrono::hours kOldEnoughToBeLeftBehind{1};

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code no_folder;
  for (const auto& entry : std::filesystem::directory_iterator(folder, no_folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

struct Waiting {
  EvaluationResult result;
  std::filesystem::path file;
};

std::vector<Waiting> waiting_results(const std::filesystem::path& directory) {
  std::vector<Waiting> waiting;
  for (const std::string& name : item_file_names(directory)) {
    const std::filesystem::path file = items_folder(directory) / name;
    if (std::optional<EvaluationResult> result = result_of_item_file(file)) {
      waiting.push_back({std::move(*result), file});
    }
  }
  std::ranges::stable_sort(waiting, {}, [](const Waiting& each) -> const std::string& { return each.result.date; });
  return waiting;
}

/// A claim outlives its result where somebody was killed between the two; a file beside outlives its writer.
void remove_what_the_dead_left(const std::filesystem::path& directory, const std::set<std::string>& done) {
  for (const std::filesystem::path& folder : {items_folder(directory), claims_folder(directory)}) {
    for (const std::string& name : names_in(folder)) {
      const std::filesystem::path file = folder / name;
      std::error_code is_gone;
      const bool is_beside = name.starts_with(".");
      const auto age =
          is_beside ? std::filesystem::file_time_type::clock::now() - std::filesystem::last_write_time(file, is_gone)
                    : std::filesystem::file_time_type::duration::zero();
      const bool is_old = is_beside && !is_gone && age > kOldEnoughToBeLeftBehind;
      const bool is_claim_of_result = !is_beside && done.contains(name.substr(0, name.find('.')));
      if (is_old || is_claim_of_result) unlink(file.c_str());
    }
  }
}

/// What an editor left without the end of its line is given one; what was being written is cut off.
void end_last_line(const Descriptor& descriptor, const std::filesystem::path& file, std::string_view text) {
  const WholeLines whole = whole_lines(text);
  if (whole.rest.empty()) return;
  if (result_without_end(whole.rest)) return write_all(descriptor, file, "\n");
  if (ftruncate(descriptor.number(), static_cast<off_t>(whole.bytes)) != 0) {
    throw FileAccessError(file.string(), "written", errno);
  }
}

}  // namespace

std::filesystem::path results_file(const std::filesystem::path& directory) { return directory / "results.jsonl"; }
std::filesystem::path items_folder(const std::filesystem::path& directory) { return directory / "items"; }
std::filesystem::path claims_folder(const std::filesystem::path& directory) { return directory / "claims"; }

WholeLines whole_lines(std::string_view text) {
  WholeLines result;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n', result.bytes)) {
    result.lines.push_back(text.substr(result.bytes, end - result.bytes));
    result.bytes = end + 1;
  }
  result.rest = text.substr(result.bytes);
  return result;
}

std::optional<EvaluationResult> result_without_end(std::string_view rest) {
  if (rest.empty()) return std::nullopt;
  try {
    return result_of_line(rest);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

EvaluationResult result_of_file_line(std::string_view line, const std::filesystem::path& file, std::size_t number) {
  try {
    return result_of_line(line);
  } catch (const std::invalid_argument& problem) {
    throw FileError({file.string(), number}, problem.what());
  }
}

std::vector<std::string> item_file_names(const std::filesystem::path& directory) {
  std::vector<std::string> names = names_in(items_folder(directory));
  std::erase_if(names,
                [](const std::string& name) { return name.starts_with(".") || !name.ends_with(kItemExtension); });
  return names;
}

std::optional<EvaluationResult> result_of_item_file(const std::filesystem::path& file) {
  const std::optional<std::string> text = shared_content(file);
  if (!text) return std::nullopt;
  return result_of_file_line(*text, file, 1);
}

std::vector<EvaluationResult> settled_results(const std::filesystem::path& directory) {
  const std::filesystem::path file = results_file(directory);
  const std::string text = shared_content(file).value_or("");
  std::vector<EvaluationResult> results;
  const WholeLines whole = whole_lines(text);
  std::size_t number = 0;
  for (const std::string_view line : whole.lines) {
    ++number;
    if (!line.empty()) results.push_back(result_of_file_line(line, file, number));
  }
  if (std::optional<EvaluationResult> last = result_without_end(whole.rest)) results.push_back(std::move(*last));
  return results;
}

bool settle_results(const std::filesystem::path& directory) {
  const std::filesystem::path file = results_file(directory);
  const Descriptor descriptor(open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (!descriptor.is_open()) throw FileAccessError(file.string(), "opened", errno);
  if (flock(descriptor.number(), LOCK_EX | LOCK_NB) != 0) return false;
  std::set<WorkItem> settled;
  for (EvaluationResult& each : settled_results(directory)) settled.insert(std::move(each.item));
  end_last_line(descriptor, file, shared_content(file).value_or(""));
  const std::vector<Waiting> waiting = waiting_results(directory);
  std::string lines;
  for (const Waiting& each : waiting) {
    if (settled.insert(each.result.item).second) lines += to_line(each.result) + "\n";
  }
  write_all(descriptor, file, lines);
  bring_to_disk(descriptor, file);
  bring_folder_to_disk(directory);  // without the file's name in it, a crash would lose what is removed next
  for (const Waiting& each : waiting) unlink(each.file.c_str());
  std::set<std::string> done;
  for (const WorkItem& item : settled) done.insert(work_key(item));
  remove_what_the_dead_left(directory, done);
  return true;
}

}  // namespace diffeo
