// JSON from files and into them, with errors in our own words.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace diffeo::files {

/// Nothing that we write is nested deeper; copying what is could overflow the stack.
inline constexpr int kDeepestJson = 32;

/// Null for text that is not JSON, or nested deeper than kDeepestJson.
[[nodiscard]] nlohmann::ordered_json parsed_json(std::string_view text);

/// On one line; bytes that are not UTF-8, as names of files may have, become U+FFFD.
[[nodiscard]] std::string json_line(const nlohmann::ordered_json& json);

/// What came instead of an entry that was asked for, to complete "expected ..., got ".
[[nodiscard]] std::string json_problem(const nlohmann::json::exception& problem);

}  // namespace diffeo::files
