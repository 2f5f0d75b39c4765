#include "checkpoint.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <exception>
#include <fstream>

#include "diffeo/error.hpp"
#include "diffeo/file_error.hpp"
#include "diffeo/tensor_file.hpp"

namespace diffeo {
namespace {

constexpr std::string_view kFormat = "diffeo checkpoint 2";

std::string file_name(std::int64_t member) { return "member-" + std::to_string(member) + ".safetensors"; }

/// member-N.safetensors, or what was to become one: member-N.safetensors.partial-...
bool is_file_of_member(std::string_view name) {
  if (!name.starts_with("member-")) return false;
  name.remove_prefix(std::min(name.size(), name.find_first_not_of("0123456789", std::string_view("member-").size())));
  return name == ".safetensors" || name.starts_with(".safetensors.partial-");
}

/// Its name says it all, so that it is there as a whole or not at all.
std::string note_name(std::string run) {
  std::ranges::replace_if(
      run, [](unsigned char letter) { return std::isalnum(letter) == 0; }, '-');
  return "run-" + run;
}

std::map<std::string, std::string> origin_of(const TrainingTask& task, std::int64_t member) {
  std::map<std::string, std::string> origin = {{"format", std::string(kFormat)},
                                               {"training set", task.set_digest},
                                               {"seed", std::to_string(task.seed)},
                                               {"member", std::to_string(member)}};
  for (const Hyperparameter& each : hyperparameters()) {
    origin["option " + std::string(each.name)] = hyperparameter_text(task.options, each);
  }
  return origin;
}

}  // namespace

Checkpoint::Checkpoint(std::filesystem::path directory, const TrainingTask& task, std::int64_t member)
    : directory_(std::move(directory)), member_(member) {
  if (enabled()) origin_ = origin_of(task, member);
}

std::filesystem::path Checkpoint::file() const { return directory_ / file_name(member_); }

void Checkpoint::write(const MemberTraining& training) const {
  if (!enabled()) return;
  TensorFile state = training.state();
  state.metadata.insert(origin_.begin(), origin_.end());
  add_digest(state);
  write_tensor_file(file(), state);
}

bool Checkpoint::restore(MemberTraining& training) const {
  if (!enabled() || !std::filesystem::exists(file())) return false;
  const TensorFile state = read_tensor_file(file());
  require_digest(state, file().string());
  for (const auto& [key, expected] : origin_) {
    const auto found = state.metadata.find(key);
    const std::string came = found == state.metadata.end() ? "none" : found->second;
    require(came == expected, "checkpoint ", file().string(), ": expected one with ", key, " ", expected, ", got ",
            came);
  }
  training.restore(state);
  return true;
}

void begin_checkpoint(const FitControl& control) {
  control.group.together([&] {
    if (!control.group.is_first() || control.checkpoint.empty()) return;
    if (!control.resume) remove_checkpoint(control.checkpoint);
    std::filesystem::create_directories(control.checkpoint);
    if (control.run.empty()) return;
    const std::filesystem::path note = control.checkpoint / note_name(control.run);
    if (!std::ofstream(note)) throw FileAccessError(note.string(), "written", errno);
  });
}

void remove_unbegun_checkpoint(const FitControl& control) noexcept {
  const std::filesystem::path& checkpoint = control.checkpoint;
  try {
    if (!control.group.is_first() || !std::filesystem::is_directory(checkpoint)) return;
    const auto is_whole = [](const std::filesystem::directory_entry& entry) {
      const std::filesystem::path& path = entry.path();
      return is_file_of_member(path.filename().string()) && path.extension() == ".safetensors";
    };
    const bool is_begun = std::ranges::any_of(std::filesystem::directory_iterator(checkpoint), is_whole);
    if (!is_begun) remove_checkpoint(checkpoint);
  } catch (const std::exception&) {  // then it stays
  }
}

bool is_checkpoint_of(const std::filesystem::path& checkpoint, const std::string& run) {
  return !run.empty() && std::filesystem::exists(checkpoint / note_name(run));
}

void remove_checkpoint(const std::filesystem::path& checkpoint) {
  if (!std::filesystem::is_directory(checkpoint)) return;
  std::vector<std::filesystem::path> ours;  // whoever was killed while writing has left a part beside
  std::vector<std::filesystem::path> notes;
  for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator(checkpoint)) {
    const std::string name = entry.path().filename().string();
    if (is_file_of_member(name)) ours.push_back(entry.path());
    if (name.starts_with("run-") && entry.is_regular_file() && entry.file_size() == 0) notes.push_back(entry.path());
  }
  // Who is killed in the middle finds what is left to be its own: notes go last.
  ours.insert(ours.end(), notes.begin(), notes.end());
  for (const std::filesystem::path& file : ours) std::filesystem::remove(file);
  std::error_code not_ours;  // a directory in which something else lies stays
  std::filesystem::remove(checkpoint, not_ours);
}

}  // namespace diffeo
