#include "cli/series_arguments.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "cli/choices.hpp"
#include "diffeo/error.hpp"

namespace diffeo::cli {
namespace {

char delimiter_named(const std::string& text) {
  if (text == "tab" || text == "\\t") return '\t';
  if (text.size() == 1 && text != "\"" && text != "\n" && text != "\r") return text[0];
  throw CLI::ValidationError(message("--delimiter: expected a character, or tab, got ", text));
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char letter : text) {
    if (letter == ',') {
      parts.emplace_back();
    } else {
      parts.back() += letter;
    }
  }
  return parts;
}

}  // namespace

ReadOptions StreamFormat::reading(const std::string& path) const {
  ReadOptions options;
  if (is_stream(path)) options.format = name;
  options.label = label;
  options.table = table;
  options.max_size = max_size;
  if (reporting != nullptr) {
    options.warning = [shown = reporting](const std::string& text) { shown->remark("diffeo: warning: " + text); };
  }
  return options;
}

ReadOptions StreamFormat::reading(const std::string& path, std::string& layout) const {
  ReadOptions options = reading(path);
  options.told = [&layout](const std::string& how) { layout = how; };
  return options;
}

std::string StreamFormat::writing(const std::string& path) const { return is_stream(path) ? name : std::string(); }

void add_stream_format(CLI::App& verb, StreamFormat& format) {
  take_one_of(
      verb.add_option("--format", format.name, "Of - (standard input or output); files say it by their extension"),
      series_formats())
      ->capture_default_str();
}

void add_reading(CLI::App& verb, StreamFormat& format, const Reporting& reporting) {
  add_stream_format(verb, format);
  format.reporting = &reporting;
  verb.add_option("--max-size", format.max_size,
                  "Most memory for what is read of a file, in bytes or as 500M, 8G; by default 64 times its size, at "
                  "least 1G")
      ->transform(CLI::AsSizeValue(false).description(""))
      ->check(CLI::PositiveNumber.description(""))
      ->type_name("SIZE");
}

void add_table_options(CLI::App& verb, StreamFormat& format) {
  constexpr const char* kGroup = "Tables (.csv, .tsv): recognized, unless said here";
  const auto add = [&](const char* name, const auto& set, const char* help) {
    return verb.add_option_function<std::string>(name, set, help)->group(kGroup);
  };
  CLI::Option* const label = add(
      "--label", [&format](const std::string& text) { format.label = text; },
      "Column with the labels: its name, or its number from 0, -1 for the last");
  label->type_name("COLUMN");
  verb.add_flag_callback(
          "--no-label", [&format] { format.label = NoLabelColumn{}; }, "There are no labels")
      ->group(kGroup)
      ->excludes(label);
  add(
      "--delimiter", [&format](const std::string& text) { format.table.delimiter = delimiter_named(text); },
      "What separates fields: a character, or tab")
      ->type_name("CHARACTER");
  take_one_of(
      add(
          "--decimal", [&format](const std::string& text) { format.table.decimal = text == "comma" ? ',' : '.'; },
          "The sign before decimals"),
      {"point", "comma"});
  CLI::Option* const header = verb.add_flag_callback(
      "--header", [&format] { format.table.header = true; }, "The first line has the names of the columns");
  header->group(kGroup);
  verb.add_flag_callback(
          "--no-header", [&format] { format.table.header = false; }, "The first line has values")
      ->group(kGroup)
      ->excludes(header);
  add(
      "--columns", [&format](const std::string& text) { format.table.columns = split(text); },
      "Columns with values, as A,B or FIRST:LAST; others are left out")
      ->type_name("COLUMNS");
  add(
      "--id", [&format](const std::string& text) { format.table.id = text; },
      "Column that says of which case a row is, if rows are time steps")
      ->type_name("COLUMN");
  add(
      "--time", [&format](const std::string& text) { format.table.time = text; }, "Column with the time of a row")
      ->type_name("COLUMN");
  add(
      "--value", [&format](const std::string& text) { format.table.value = text; }, "The only column with values")
      ->type_name("COLUMN");
}

void tell_layout(const std::string& path, const std::string& layout, const Reporting& reporting) {
  if (!layout.empty() && !reporting.json) reporting.remark(shown_input_name(path) + ": " + layout);
}

void require_model_before_series(const std::string& verb, const std::string& model, const std::string& series) {
  if (!is_series_file(model) || is_stream(series) || is_series_file(series)) return;
  throw CLI::ValidationError(message("expected the model before the series: diffeo ", verb, " ", series, " ", model));
}

Dataset read_series(const std::string& path, const StreamFormat& format) {
  return read_dataset(path, format.reading(path));
}

Dataset read_series(const std::string& path, const StreamFormat& format, const Reporting& reporting) {
  std::string layout;
  Dataset series = read_dataset(path, format.reading(path, layout));
  tell_layout(path, layout, reporting);
  return series;
}

void write_series(const std::string& path, const Dataset& set, const StreamFormat& format) {
  SeriesWriter writer(path, outline_of(set), format.writing(path));
  writer.write(set);
  writer.finish();
}

void require_known_format(const std::string& path) {
  if (!is_stream(path)) (void)series_format(path);
}

bool is_series_file(const std::string& path) {
  const auto lower_extension = [](const std::filesystem::path& file) {
    std::string extension = file.extension().string();
    std::ranges::transform(extension, extension.begin(), [](unsigned char letter) { return std::tolower(letter); });
    return extension;
  };
  const std::filesystem::path file(path);
  const std::string extension = lower_extension(lower_extension(file) == ".gz" ? file.stem() : file);
  return std::ranges::any_of(series_formats(), [&](const std::string& name) { return extension == "." + name; });
}

bool is_stream(const std::string& path) { return path == kStandardStream; }

std::string shown_name(const std::string& path) { return is_stream(path) ? "standard output" : path; }

std::string shown_input_name(const std::string& path) { return is_stream(path) ? "standard input" : path; }

std::string counted(std::size_t count, const std::string& one, const std::string& several) {
  return std::to_string(count) + " " + (count == 1 ? one : several);
}

std::string size_text(const SeriesOutline& outline) {
  return counted(outline.cases, "case", "cases") + " of " + counted(outline.channels, "channel", "channels") + " and " +
         (outline.equally_long() ? "" : "up to ") + std::to_string(outline.longest) + " time steps";
}

}  // namespace diffeo::cli
