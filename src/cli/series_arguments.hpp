// Files of series on the command line, where - is standard input or output.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "cli/reporting.hpp"
#include "diffeo/files.hpp"
#include "diffeo/series_stream.hpp"

namespace diffeo::cli {

/// --format: of what comes from standard input and goes to standard output; files say it by their extension.
/// --max-size: what may be read of a file. And how tables are read.
struct StreamFormat {
  std::string name = "tsv";
  std::uint64_t max_size = 0;            ///< as in ReadOptions
  const Reporting* reporting = nullptr;  ///< of verbs that read: where warnings go
  LabelColumn label = UsualLabelColumn{};
  TableOptions table = {};

  [[nodiscard]] ReadOptions reading(const std::string& path) const;
  /// The same, and `layout` becomes how a table is read, in words. It must outlive the reading.
  [[nodiscard]] ReadOptions reading(const std::string& path, std::string& layout) const;
  /// Empty for a file: its extension says it.
  [[nodiscard]] std::string writing(const std::string& path) const;
};

/// `format` must outlive the parsing.
void add_stream_format(CLI::App& verb, StreamFormat& format);
/// --format and --max-size, of verbs that read series. `reporting` says whether warnings are wanted.
void add_reading(CLI::App& verb, StreamFormat& format, const Reporting& reporting);
/// The options of tables, such as --label and --delimiter.
void add_table_options(CLI::App& verb, StreamFormat& format);

/// CLI::ValidationError where a model and series were given the wrong way round.
void require_model_before_series(const std::string& verb, const std::string& model, const std::string& series);

/// A remark that says how a table was read, unless there is --json or --quiet; none for other files.
void tell_layout(const std::string& path, const std::string& layout, const Reporting& reporting);

/// All of a file, or of standard input.
[[nodiscard]] Dataset read_series(const std::string& path, const StreamFormat& format);
[[nodiscard]] Dataset read_series(const std::string& path, const StreamFormat& format, const Reporting& reporting);
void write_series(const std::string& path, const Dataset& set, const StreamFormat& format);

/// FileError, before any work is done, for a file whose extension is none of the known.
void require_known_format(const std::string& path);
/// Whether its extension is one of them, in letters of either case.
[[nodiscard]] bool is_series_file(const std::string& path);

[[nodiscard]] bool is_stream(const std::string& path);
/// For people: what - means as an output, and as an input.
[[nodiscard]] std::string shown_name(const std::string& path);
[[nodiscard]] std::string shown_input_name(const std::string& path);

/// "12 cases of 1 channel and 32 time steps"
[[nodiscard]] std::string size_text(const SeriesOutline& outline);

/// "1 case", "2 cases"
[[nodiscard]] std::string counted(std::size_t count, const std::string& one, const std::string& several);

}  // namespace diffeo::cli
