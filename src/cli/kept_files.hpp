// Where a verb may write: not over the files it reads, nor over those that hold something else than what it writes, nor
// into folders that are closed.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace diffeo::cli {

/// std::runtime_error where `output`, what `option` gives, is one of the files that are read or written besides: it
/// would be lost. Among `others`, - is standard input; as output, standard output: the shell may have opened files.
void require_other_file(const std::string& option, const std::string& output, const std::vector<std::string>& others);

/// FileAccessError where nothing can be written under that name, because its folder is missing or closed: said before
/// work begins whose result would be lost. Devices, pipes and - are fine.
void require_place_for(const std::string& output);

/// What a verb writes, and how to tell that a file is of that kind.
struct FileKind {
  std::string name;  ///< for people: "a page of diffeo's"
  std::function<bool(const std::string& path)> matches;
};

/// std::runtime_error where something of another kind lies under the name that `option` gives. Nothing there, an empty
/// file, a device, a pipe or - are fine.
void require_own_kind(const std::string& option, const std::string& output, const FileKind& kind);

/// Of text that begins in a way of its own.
[[nodiscard]] FileKind kind_that_begins(std::string name, std::string_view beginning);
/// Of what diffeo/warps_file.hpp writes.
[[nodiscard]] FileKind warps_kind();

/// Of what diffeo::JointAligner::save writes.
[[nodiscard]] FileKind joint_model_kind();

/// What a model of fit says of itself as its "format".
inline constexpr std::string_view kModelFormat = "diffeo temporal aligner";
/// Whether that is a file that holds a model of fit, which a fit that is not finished never writes.
[[nodiscard]] bool is_model_file(const std::string& path);

}  // namespace diffeo::cli
