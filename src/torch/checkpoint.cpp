#include "checkpoint.hpp"

#include <algorithm>

#include "diffeo/error.hpp"
#include "diffeo/file_error.hpp"
#include "digest.hpp"

namespace diffeo {
namespace {

constexpr std::string_view kFormat = "diffeo checkpoint 1";

std::string file_name(std::int64_t member) { return "member-" + std::to_string(member) + ".safetensors"; }

/// member-N.safetensors, or what was to become one: member-N.safetensors.partial-...
bool is_file_of_member(std::string_view name) {
  if (!name.starts_with("member-")) return false;
  name.remove_prefix(std::min(name.size(), name.find_first_not_of("0123456789", std::string_view("member-").size())));
  return name == ".safetensors" || name.starts_with(".safetensors.partial-");
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
  if (!enabled()) return;
  origin_ = origin_of(task, member);
  std::filesystem::create_directories(directory_);
}

std::filesystem::path Checkpoint::file() const { return directory_ / file_name(member_); }

void Checkpoint::write(const MemberTraining& training) const {
  if (!enabled()) return;
  TensorFile state = training.state();
  state.metadata.insert(origin_.begin(), origin_.end());
  state.metadata["digest"] = digest_of(state);
  write_tensor_file(file(), state);
}

bool Checkpoint::restore(MemberTraining& training) const {
  if (!enabled() || !std::filesystem::exists(file())) return false;
  const TensorFile state = read_tensor_file(file());
  const auto digest = state.metadata.find("digest");
  if (digest == state.metadata.end() || digest->second != digest_of(state)) {
    throw FileError({file().string()}, "expected a checkpoint as it was written, got one that has changed since");
  }
  for (const auto& [key, expected] : origin_) {
    const auto found = state.metadata.find(key);
    const std::string came = found == state.metadata.end() ? "none" : found->second;
    require(came == expected, "checkpoint ", file().string(), ": expected one with ", key, " ", expected, ", got ",
            came);
  }
  training.restore(state);
  return true;
}

void Checkpoint::remove() const {
  if (enabled()) std::filesystem::remove(file());
}

void remove_checkpoint(const std::filesystem::path& checkpoint) {
  if (!std::filesystem::is_directory(checkpoint)) return;
  std::vector<std::filesystem::path> ours;  // whoever was killed while writing has left a part beside
  for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator(checkpoint)) {
    if (is_file_of_member(entry.path().filename().string())) ours.push_back(entry.path());
  }
  for (const std::filesystem::path& file : ours) std::filesystem::remove(file);
  std::error_code not_ours;  // a directory in which something else lies stays
  std::filesystem::remove(checkpoint, not_ours);
}

}  // namespace diffeo
