// Reads and writes files of series in parts, for sets larger than memory.
//
//   SeriesReader reader("huge.tsv");
//   SeriesWriter writer("out.npz", reader.outline());
//   while (const std::optional<Dataset> part = reader.next()) writer.write(changed(*part));
//   writer.finish();
//
//   * the formats of diffeo/files.hpp, read by the same code. Together the parts equal the result of read_dataset, but
//     a part knows only the classes declared or met so far. A class keeps its number from part to part
//   * memory: one part and a buffer; for .npz the labels and lengths too. Arrays in Fortran order are loaded whole
//   * a file is opened at once and read on first use. It is checked as far as it has been read, so an
//     error may come after valid parts. Calling outline first reads and checks the whole file
//   * the name - means standard input or output and needs a format. Non-seekable input (a
//     pipe) is first copied to a temporary file if the format requires it (.npy, .npz). Output to a pipe supports the
//     text formats
//   * most formats state their contents at the start, so a writer needs the outline. .tsv and .csv need only
//     channels and lengths: `cases` may be 0, for unknown, and the classes are then unknown too
//   * errors as in diffeo/files.hpp; std::invalid_argument for parts that do not match the outline
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diffeo/dataset.hpp"
#include "diffeo/files.hpp"

namespace diffeo {

/// The name of standard input and output; needs a format.
inline constexpr std::string_view kStandardStream = "-";

/// Size of a part: `cases`, or fewer if they together have more than `values` values; at least one case.
struct PartSize {
  std::size_t cases = 256;
  std::size_t values = std::size_t{1} << 17;
};

/// A summary of a set of series, without its values.
struct SeriesOutline {
  std::size_t cases = 0;
  std::size_t channels = 1;
  std::size_t shortest = 0;
  std::size_t longest = 0;
  std::uint64_t values = 0;   ///< over all cases and channels
  std::uint64_t missing = 0;  ///< of the values
  std::uint64_t infinite = 0;
  double least = 0.0;  ///< of the finite values; 0 if there are none
  double greatest = 0.0;
  bool labeled = false;
  std::vector<std::string> class_names = {};
  std::vector<std::size_t> class_cases = {};  ///< how many cases each class has

  [[nodiscard]] bool equally_long() const noexcept { return shortest == longest; }
  /// Adds more cases of the same set.
  void add(const Dataset& part);
};

[[nodiscard]] SeriesOutline outline_of(const Dataset& set);
/// Reads and checks the whole file.
[[nodiscard]] SeriesOutline outline_of(const std::filesystem::path& path, const ReadOptions& options = {});

class SeriesReader {
 public:
  explicit SeriesReader(const std::filesystem::path& path, const ReadOptions& options = {});
  SeriesReader(SeriesReader&&) noexcept;
  SeriesReader& operator=(SeriesReader&&) noexcept;
  ~SeriesReader();

  /// Whether the file can be read twice; a pipe cannot.
  [[nodiscard]] bool can_be_read_again() const noexcept;
  /// Reads and checks the whole file, then rewinds it. Input from a pipe is copied to a temporary file.
  /// std::invalid_argument after next. `progress` gets the outline so far; exceptions propagate.
  [[nodiscard]] SeriesOutline outline(const std::function<void(const SeriesOutline&)>& progress = {});
  /// The next cases; empty at the end.
  [[nodiscard]] std::optional<Dataset> next(const PartSize& size = {});
  /// All remaining cases.
  [[nodiscard]] Dataset rest();

  struct Source;

 private:
  std::unique_ptr<Source> source_;
};

class SeriesWriter {
 public:
  /// `format` as in ReadOptions.
  SeriesWriter(const std::filesystem::path& path, SeriesOutline outline, std::string_view format = {});
  SeriesWriter(SeriesWriter&&) noexcept;
  SeriesWriter& operator=(SeriesWriter&&) noexcept;
  /// Without finish, discards what was written and leaves the old file.
  ~SeriesWriter();

  void write(const Dataset& part);
  void finish();

  struct Sink;

 private:
  std::unique_ptr<Sink> sink_;
};

/// tsv, csv, ts, arff, npy, npz.
[[nodiscard]] std::vector<std::string> series_formats();
/// The format of a file's extension; FileError for unknown extensions.
[[nodiscard]] std::string series_format(const std::filesystem::path& path);

}  // namespace diffeo
