// Options that take one of a few words.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "cli/suggestion.hpp"

namespace diffeo::cli {

/// "a|b|c": the words as the help shows them, and as completion finds them.
template <class Words>
[[nodiscard]] std::string alternatives(const Words& words) {
  std::string text;
  for (const std::string_view word : words) text.append(text.empty() ? "" : "|").append(word);
  return text;
}

/// "a, b or c"
template <class Words>
[[nodiscard]] std::string listed(const Words& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text.append(i == 0 ? "" : i + 1 == words.size() ? " or " : ", ").append(words[i]);
  }
  return text;
}

/// Lets an option take these words alone.
inline CLI::Option* take_one_of(CLI::Option* option, const std::vector<std::string>& words) {
  const auto problem = [words](const std::string& word) {
    if (std::ranges::find(words, word) != words.end()) return std::string();
    return "expected " + listed(words) + ", got " + word + suggestion(word, words);
  };
  return option->check(CLI::Validator(problem, ""))->type_name(alternatives(words));
}

}  // namespace diffeo::cli
