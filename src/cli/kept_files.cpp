#include "cli/kept_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "cli/series_arguments.hpp"
#include "diffeo/error.hpp"
#include "diffeo/file_error.hpp"
#include "diffeo/joint_aligner.hpp"
#include "diffeo/tensor_file.hpp"
#include "diffeo/warps_file.hpp"

namespace diffeo::cli {
namespace {

/// What a tensor file says of itself; nothing where it is none.
std::map<std::string, std::string> metadata_of(const std::string& path) {
  try {
    return read_tensor_file(path).metadata;
  } catch (const FileError&) {
    return {};
  }
}

bool has_format(const std::string& path, std::string_view format) {
  const std::map<std::string, std::string> metadata = metadata_of(path);
  const auto found = metadata.find("format");
  return found != metadata.end() && found->second == format;
}

bool is_joint_model(const std::string& path) { return has_format(path, kJointAlignerFormat); }

bool is_warps_file(const std::string& path) { return metadata_of(path).contains(kWarpsFileKey); }

/// What a file is, whatever it is called: its device and its number there.
using FileIdentity = std::pair<dev_t, ino_t>;

/// Of a file on disk; the descriptor is that of the stream where the name is -.
std::optional<FileIdentity> identity_of(const std::string& path, int stream) {
  struct stat status {};
  const int outcome = is_stream(path) ? fstat(stream, &status) : stat(path.c_str(), &status);
  if (outcome != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return FileIdentity(status.st_dev, status.st_ino);
}

bool begins_with(const std::string& path, std::string_view beginning) {
  std::string found(beginning.size(), '\0');
  std::ifstream(path, std::ios::binary).read(found.data(), static_cast<std::streamsize>(found.size()));
  return found == beginning;
}

}  // namespace

void require_other_file(const std::string& option, const std::string& output, const std::vector<std::string>& others) {
  if (output.empty()) return;
  const std::optional<FileIdentity> written = identity_of(output, STDOUT_FILENO);
  for (const std::string& other : others) {
    const bool is_same_name = output == other && !is_stream(output);  // of a file that is not there yet
    if (is_same_name || (written && written == identity_of(other, STDIN_FILENO))) {
      throw std::runtime_error(message(option, ": expected another file than ",
                                       is_stream(other) ? "the one on standard input" : other,
                                       ", which would be lost"));
    }
  }
}

void require_own_kind(const std::string& option, const std::string& output, const FileKind& kind) {
  if (output.empty() || is_stream(output)) return;
  std::error_code error;  // of what is not there
  if (!std::filesystem::is_regular_file(output, error) || std::filesystem::file_size(output) == 0) return;
  if (kind.matches(output)) return;
  throw std::runtime_error(
      message(option, ": expected a new file or ", kind.name, ", got ", output, ", which would be lost"));
}

void require_place_for(const std::string& output) {
  if (output.empty() || is_stream(output)) return;
  std::error_code error;  // of what is not there
  if (std::filesystem::exists(output, error) && !std::filesystem::is_regular_file(output, error)) return;
  const std::filesystem::path folder = std::filesystem::weakly_canonical(output, error).parent_path();
  if (access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0) return;
  throw FileAccessError(output, "written", errno);
}

FileKind kind_that_begins(std::string name, std::string_view beginning) {
  return {std::move(name),
          [text = std::string(beginning)](const std::string& path) { return begins_with(path, text); }};
}

FileKind warps_kind() { return {"warps of align", is_warps_file}; }

FileKind joint_model_kind() { return {"a model of align", is_joint_model}; }

bool is_model_file(const std::string& path) {
  std::error_code error;  // of what is not there
  if (!std::filesystem::is_regular_file(path, error)) return false;
  return has_format(path, kModelFormat);
}

}  // namespace diffeo::cli
