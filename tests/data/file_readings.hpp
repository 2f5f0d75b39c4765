// What a file with some content is read as, or why it is refused.
#pragma once

#include <limits>
#include <string>
#include <string_view>

#include "diffeo/dataset.hpp"
#include "diffeo/file_error.hpp"
#include "diffeo/files.hpp"
#include "support/temporary_directory.hpp"

namespace diffeo::testing {

inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What FileError said; empty where nothing was thrown.
std::string refusal(const auto& action) {
  try {
    action();
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

/// The refusal of that content, with the file's name alone before it.
inline std::string refusal_of(const std::string& name, std::string_view content, const ReadOptions& options = {}) {
  const TemporaryDirectory folder;
  const std::string text = refusal([&] { (void)read_dataset(folder.file(name, content), options); });
  return text.empty() ? "" : text.substr(folder.path().string().size() + 1);
}

inline Dataset reading_of(const std::string& name, std::string_view content, const ReadOptions& options = {}) {
  const TemporaryDirectory folder;
  return read_dataset(folder.file(name, content), options);
}

}  // namespace diffeo::testing
