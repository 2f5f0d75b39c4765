// "Did you mean ...?": the name that somebody who mistyped probably wanted.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace diffeo::cli {

/// The candidate nearest to `word`, counting letters inserted, dropped, replaced or swapped with their
/// neighbor; empty when none is near enough (a third of the word's letters, but at least one) and none
/// begins with the word.
[[nodiscard]] std::string nearest_name(std::string_view word, std::span<const std::string> candidates);

/// "; did you mean NAME?", or nothing.
[[nodiscard]] std::string suggestion(std::string_view word, std::span<const std::string> candidates);

}  // namespace diffeo::cli
