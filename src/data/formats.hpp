// The forms of diffeo/files.hpp, a source each. Readers throw FileError; writers refuse what the form cannot hold and
// leave opening and committing to the caller.
#pragma once

#include <filesystem>
#include <string>

#include "data/output_file.hpp"
#include "diffeo/dataset.hpp"
#include "diffeo/files.hpp"

namespace diffeo::files {

[[nodiscard]] Dataset read_tsv(const std::filesystem::path& path);
[[nodiscard]] Dataset read_csv(const std::filesystem::path& path, const LabelColumn& label);
[[nodiscard]] Dataset read_ts(const std::filesystem::path& path);
[[nodiscard]] Dataset read_arff(const std::filesystem::path& path);
[[nodiscard]] Dataset read_npy(const std::filesystem::path& path);
[[nodiscard]] Dataset read_npz(const std::filesystem::path& path);

void write_tsv(OutputFile& file, const Dataset& set);
void write_csv(OutputFile& file, const Dataset& set);
void write_ts(OutputFile& file, const Dataset& set);
void write_arff(OutputFile& file, const Dataset& set);
void write_npy(OutputFile& file, const Dataset& set);
void write_npz(OutputFile& file, const Dataset& set);

/// FileError that the file cannot hold the set unless `condition`; `problem` says what, `others` which forms can.
void require_held(bool condition, const OutputFile& file, const std::string& problem, const std::string& others);
/// For forms of one channel.
void require_one_channel(const OutputFile& file, const Dataset& set);
/// For forms where an empty label means none.
void require_labels_not_empty(const OutputFile& file, const Dataset& set);
/// The name of the file without folder and extension, in one word.
[[nodiscard]] std::string problem_name(const OutputFile& file);

}  // namespace diffeo::files
