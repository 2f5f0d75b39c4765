// The command as it was typed, to be typed again: a program that was interrupted says how to go on.
#pragma once

#include <string>

namespace diffeo::cli {

/// The arguments with blanks between, quoted where a shell needs it.
[[nodiscard]] std::string typed_command(int argc, const char* const* argv);

/// The command with an option more, unless it is there already.
[[nodiscard]] std::string with_option(const std::string& command, const std::string& option);

}  // namespace diffeo::cli
