#include "cli/series_arguments.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "cli/choices.hpp"

namespace diffeo::cli {

ReadOptions StreamFormat::reading(const std::string& path) const {
  ReadOptions options;
  if (is_stream(path)) options.format = name;
  options.max_size = max_size;
  if (reporting != nullptr) {
    options.warning = [shown = reporting](const std::string& text) { shown->remark("diffeo: warning: " + text); };
  }
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

Dataset read_series(const std::string& path, const StreamFormat& format) {
  return read_dataset(path, format.reading(path));
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
  std::string extension = std::filesystem::path(path).extension().string();
  std::ranges::transform(extension, extension.begin(), [](unsigned char letter) { return std::tolower(letter); });
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
