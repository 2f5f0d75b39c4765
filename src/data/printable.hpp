// Text that came from outside, as people may see it: in messages, and on terminals.
#pragma once

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>

namespace diffeo::files {

/// No sentence of ours is that long: what is longer quotes something.
inline constexpr std::size_t kLongestText = 1000;
/// With the names of files around it.
inline constexpr std::size_t kLongestError = 4 * kLongestText;

/// One line of at most about `most` bytes, with "..." where it was cut. Control characters and bytes that are not UTF-8
/// become \x1b and the like: a file cannot move the cursor of whoever reads about it.
[[nodiscard]] std::string printable(std::string_view text, std::size_t most = kLongestText);

/// What an error says, likewise; "out of memory" for all that says so in other words.
[[nodiscard]] std::string problem_text(const std::exception& problem);

}  // namespace diffeo::files
