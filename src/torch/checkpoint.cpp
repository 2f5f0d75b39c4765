#include "checkpoint.hpp"

#include "diffeo/error.hpp"
#include "diffeo/file_error.hpp"
#include "digest.hpp"

namespace diffeo {
namespace {

constexpr std::string_view kFormat = "diffeo checkpoint 1";

std::string file_name(std::int64_t member) { return "member-" + std::to_string(member) + ".safetensors"; }

std::map<std::string, std::string> origin_of(const TrainingTask& task, std::int64_t member) {
  std::map<std::string, std::string> origin = {{"format", std::string(kFormat)},
                                               {"training set", digest_of(*task.set)},
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
  for (std::int64_t member = 0; std::filesystem::remove(checkpoint / file_name(member)); ++member) {
  }
  std::error_code not_ours;  // a directory in which something else lies stays
  std::filesystem::remove(checkpoint, not_ours);
}

}  // namespace diffeo
