// What a folder of results holds beside them, as the values that a page is made of: tables of data sets, pictures of
// alignments, searches for hyper-parameters, ablations, remarks.
//
// Searches and ablations may be made in the folder itself or in one inside it, DIR/grid and DIR/ablation, where their
// many results are not among those that the page is about.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diffeo/results_report.hpp"

namespace diffeo::cli {

/// A row of a table of data sets.
struct KnownDataset {
  DatasetProperties properties;
  std::vector<PublishedValue> published;  ///< as the table's columns
};

/// A .csv with the columns dataset, type, train, test, length, classes, then accuracies that somebody published, one
/// column for each method, and faults: the columns whose values cannot be compared, separated by spaces, with `:split`
/// behind the name of one that was measured on another split of the data. Without quotes. Values that no classifier can have on that many test cases are faults too, whether they are named or not
/// (diffeo/statistics/reachable_accuracy.hpp; rounded to the digits that are written, at most five).
struct DatasetTable {
  std::vector<std::string> methods;
  std::map<std::string, KnownDataset> rows;
};

/// FileError for what is no such table.
[[nodiscard]] DatasetTable read_dataset_table(const std::string& file);

/// DIR/pictures/*.json, those of `datasets`, in their order; without those that say they are of other options.
[[nodiscard]] std::vector<AlignmentPicture> read_pictures(const std::filesystem::path& directory,
                                                          const std::vector<std::string>& datasets,
                                                          const std::map<std::string, std::string>& options);

/// DIR/grid.json or DIR/grid/grid.json, where there is one.
[[nodiscard]] std::optional<GridSearch> read_grid(const std::filesystem::path& directory);

/// DIR/ablation.json or DIR/ablation/ablation.json, where there is one: accuracies and times of every study.
[[nodiscard]] std::optional<AblationStudies> read_ablation(const std::filesystem::path& directory);

/// DIR/NAME, what somebody has to say about the results; empty where there is none.
[[nodiscard]] std::string read_remark(const std::filesystem::path& directory, std::string_view name);

}  // namespace diffeo::cli
