#include "diffeo/result_store.hpp"

#include <algorithm>
#include <utility>

#include "diffeo/file_error.hpp"
#include "experiments/result_files.hpp"
#include "experiments/shared_files.hpp"

namespace diffeo {

ResultStore::ResultStore(const std::filesystem::path& directory, std::chrono::milliseconds lease)
    : directory_(directory), file_(results_file(directory)), lease_(lease) {
  create_folders(items_folder(directory_));
  create_folders(claims_folder(directory_));
  settle();
}

const EvaluationResult* ResultStore::find(const WorkItem& item) const {
  const auto found = items_.find(item);
  return found == items_.end() ? nullptr : &results_[found->second];
}

void ResultStore::refresh() {
  read_items();  // first: what is moved meanwhile is in the file by the time that is read
  read_file();
}

void ResultStore::read_items() {
  for (const std::string& name : item_file_names(directory_)) {
    if (seen_files_.contains(name)) continue;
    if (std::optional<EvaluationResult> result = result_of_item_file(items_folder(directory_) / name)) {
      keep(std::move(*result));
      seen_files_.insert(name);
    }
  }
}

void ResultStore::read_file() {
  std::error_code no_file;
  const std::uintmax_t size = std::filesystem::file_size(file_, no_file);
  if (no_file || size == read_bytes_) return;
  if (size < read_bytes_) read_bytes_ = read_lines_ = 0;  // somebody took lines out
  const std::string text = shared_content(file_, read_bytes_).value_or("");
  const WholeLines lines = whole_lines(text);
  for (const std::string_view line : lines.lines) {
    ++read_lines_;
    if (!line.empty()) keep(result_of_file_line(line, file_, read_lines_));
  }
  // Kept, but looked at again: whoever settles gives it its end, or goes on writing behind it.
  if (std::optional<EvaluationResult> last = result_without_end(lines.rest)) keep(std::move(*last));
  read_bytes_ += lines.bytes;
}

void ResultStore::keep(EvaluationResult result) {
  if (items_.try_emplace(result.item, results_.size()).second) results_.push_back(std::move(result));
}

std::optional<WorkClaim> ResultStore::claim(const WorkItem& item) const {
  return WorkClaim::take(claims_folder(directory_), work_key(item), lease_);
}

bool ResultStore::add(const EvaluationResult& result) {
  refresh();  // once a result is settled, no file of items/ keeps another from being added
  if (contains(result.item)) return false;
  const std::string name = work_key(result.item) + std::string(kItemExtension);
  const std::string line = to_line(result);
  if (!create_whole(items_folder(directory_) / name, line + "\n", Durability::on_disk)) {
    refresh();
    return false;
  }
  seen_files_.insert(name);
  read_file();  // another's may have been settled since the look above: it counts, and whoever settles drops this one
  keep(result);
  return to_line(*find(result.item)) == line;
}

bool ResultStore::settle() {
  const bool is_done = settle_results(directory_);
  refresh();
  return is_done;
}

std::vector<EvaluationResult> read_results(const std::filesystem::path& directory) {
  std::vector<EvaluationResult> waiting;
  for (const std::string& name : item_file_names(directory)) {
    std::optional<EvaluationResult> result = result_of_item_file(items_folder(directory) / name);
    if (result) waiting.push_back(std::move(*result));
  }
  std::vector<EvaluationResult> results = settled_results(directory);
  std::set<WorkItem> known;
  std::erase_if(results, [&](const EvaluationResult& each) { return !known.insert(each.item).second; });
  for (EvaluationResult& each : waiting) {
    if (known.insert(each.item).second) results.push_back(std::move(each));
  }
  return results;
}

}  // namespace diffeo
