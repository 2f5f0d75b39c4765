// The files of a folder of results (diffeo/result_store.hpp), and how results move from one to the other.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diffeo/evaluation_result.hpp"

namespace diffeo {

inline constexpr std::string_view kItemExtension = ".json";

[[nodiscard]] std::filesystem::path results_file(const std::filesystem::path& directory);
[[nodiscard]] std::filesystem::path items_folder(const std::filesystem::path& directory);
[[nodiscard]] std::filesystem::path claims_folder(const std::filesystem::path& directory);

/// The lines of a text that end, how many bytes they take, and what comes behind them.
struct WholeLines {
  std::vector<std::string_view> lines;
  std::size_t bytes = 0;
  std::string_view rest = {};
};
[[nodiscard]] WholeLines whole_lines(std::string_view text);

/// Of a last line that does not end, as editors leave it; nothing where it was being written: no part of a JSON object
/// is one.
[[nodiscard]] std::optional<EvaluationResult> result_without_end(std::string_view rest);

/// FileError with the number of the line for one that is no result.
[[nodiscard]] EvaluationResult result_of_file_line(std::string_view line, const std::filesystem::path& file,
                                                   std::size_t number);

/// In the order of the alphabet; none where there is no folder.
[[nodiscard]] std::vector<std::string> item_file_names(const std::filesystem::path& directory);
/// Nothing where the file is gone: its result is settled.
[[nodiscard]] std::optional<EvaluationResult> result_of_item_file(const std::filesystem::path& file);

/// Those of results.jsonl, line by line.
[[nodiscard]] std::vector<EvaluationResult> settled_results(const std::filesystem::path& directory);

/// Moves results of items/ to results.jsonl, in the order in which they were made, and removes what the dead left
/// behind. False where another process is doing it, or where the file system has no locks.
bool settle_results(const std::filesystem::path& directory);

}  // namespace diffeo
