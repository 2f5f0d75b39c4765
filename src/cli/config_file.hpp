// Options from a file, so that a command that works can be kept: --config FILE, --save-config FILE.
//
//   # what `diffeo fit` shall do              the keys are the long options without their dashes
//   cells = 16
//   loss = "variance + 30 cross-entropy"
//   widths = [32, 32, 32]
//   balanced = true
//   [align]                                   for that verb alone; keys before any such line are for the verb in use
//   prior-weight = 1e-3
//
//   * a part of TOML: keys with text, numbers, truth values and lists of numbers; comments; tables named after verbs
//   * what is given on the command line wins
//   * errors are those of files, FILE:LINE: what was expected, what came; a key that no option has is one of them
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace diffeo::cli {

struct ConfigOptions {
  std::string from;
  std::string save;
};

/// Declares --config and --save-config. `options` must outlive the parsing.
void add_config_options(CLI::App& verb, ConfigOptions& options);

/// The arguments (without the program's name) and, after them, what the file that they name with --config adds.
/// FileError for everything that is wrong with the file.
[[nodiscard]] std::vector<std::string> with_config(const CLI::App& program, std::vector<std::string> arguments);

/// Options by name, with values that are known better than from what was typed; empty for options that do not apply.
using ResolvedOptions = std::map<std::string, std::string>;

/// std::runtime_error where save_config would replace something that it has not written; FileAccessError where it
/// cannot write.
void require_saveable(const ConfigOptions& options);

/// Writes the file that was asked for, if any: every option of the verb that decides what comes out, with the value it
/// has. Not those that say where things go and how much is said on the way.
void save_config(const CLI::App& verb, const ConfigOptions& options, const ResolvedOptions& resolved = {});

/// The work of a verb, and the file when it is done; refused before it begins where the file could not be saved.
[[nodiscard]] std::function<void()> saving_config(const CLI::App& verb, const ConfigOptions& options,
                                                  ResolvedOptions resolved, std::function<void()> work);

/// [name] in such a file.
struct ConfigTable {
  std::string name;
  std::size_t line = 0;
};

/// One line of it that sets an option.
struct ConfigEntry {
  std::string table;  ///< empty before the first
  std::string key;
  std::string value;  ///< as it would be typed; lists with commas between
  std::size_t line = 0;
};

struct Config {
  std::vector<ConfigTable> tables;
  std::vector<ConfigEntry> entries;
};

[[nodiscard]] Config read_config(const std::filesystem::path& path);

}  // namespace diffeo::cli
