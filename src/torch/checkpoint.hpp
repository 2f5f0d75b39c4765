// Where a training had got to, on disk: one file per member, written whole or not at all.
//
// A checkpoint says what it is a checkpoint of (data, options, seed), and is refused where any of these differs: going
// on with another would give a model that belongs to neither.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "diffeo/tensor_file.hpp"
#include "member_training.hpp"

namespace diffeo {

class Checkpoint {
 public:
  /// In a directory that begin_checkpoint has made; without one, a checkpoint that keeps nothing.
  Checkpoint(std::filesystem::path directory, const TrainingTask& task, std::int64_t member);

  [[nodiscard]] bool enabled() const noexcept { return !directory_.empty(); }
  [[nodiscard]] std::filesystem::path file() const;
  void write(const MemberTraining& training) const;
  /// Whether there was one. std::invalid_argument for one of another training, FileError for one that is damaged.
  bool restore(MemberTraining& training) const;

 private:
  std::filesystem::path directory_;
  std::int64_t member_;
  std::map<std::string, std::string> origin_;  // what it is a checkpoint of
};

/// Before anything is computed, in the first process of a group: what is left of another fit is removed, unless this
/// one resumes it, because it would be taken for this one's later. Then the directory is made, with a note of who begins
/// there.
void begin_checkpoint(const FitControl& control);

/// After a failure, which is what is to be told: the first process of a group removes the directory if no member has
/// kept anything, because nobody can go on from it, and it would be in the way of the next fit. Throws nothing.
void remove_unbegun_checkpoint(const FitControl& control) noexcept;

}  // namespace diffeo
