// Files of series read and written a part at a time: sets that are larger than memory.
//
//   SeriesReader reader("huge.tsv");
//   SeriesWriter writer("out.npz", reader.outline());
//   while (const std::optional<Dataset> part = reader.next()) writer.write(changed(*part));
//   writer.finish();
//
//   * the forms of diffeo/files.hpp, read by the same code: the parts together are what read_dataset gives, except that
//     a part knows the classes declared or met so far. A class keeps its number from part to part
//   * memory: one part and a buffer; of .npz the labels and lengths too. Arrays in Fortran order are held whole
//   * a file is opened at once and looked into when it is first asked. It is checked as far as it has been read: an
//     error may come after good parts, unless the outline was asked for, which reads all of it
//   * the name - means standard input or output where a format is given. Input that cannot be read at any place (a
//     pipe) is first copied to a temporary file where the form needs that (.npy, .npz); output to a pipe takes the text
//     forms
//   * most forms say at the start what comes later, so a writer is told the outline. .tsv and .csv need no more of it
//     than channels and lengths: `cases` may be 0, for unknown, and then classes are too
//   * errors as in diffeo/files.hpp; std::invalid_argument for parts that are not as the outline says
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

/// The name of standard input and output, where a format is given.
inline constexpr std::string_view kStandardStream = "-";

/// How much is read at once: cases, but fewer where these have that many values together; at least one case.
struct PartSize {
  std::size_t cases = 256;
  std::size_t values = std::size_t{1} << 17;
};

/// What a set of series is like, without its values.
struct SeriesOutline {
  std::size_t cases = 0;
  std::size_t channels = 1;
  std::size_t shortest = 0;
  std::size_t longest = 0;
  std::uint64_t values = 0;   ///< over all cases and channels
  std::uint64_t missing = 0;  ///< of the values
  std::uint64_t infinite = 0;
  double least = 0.0;  ///< of the finite values; 0 where there are none
  double greatest = 0.0;
  bool labelled = false;
  std::vector<std::string> class_names = {};
  std::vector<std::size_t> class_cases = {};  ///< how many cases each class has

  [[nodiscard]] bool equally_long() const noexcept { return shortest == longest; }
  /// Takes note of more cases of the same set.
  void add(const Dataset& part);
};

[[nodiscard]] SeriesOutline outline_of(const Dataset& set);
/// Reads through the file, and so checks it.
[[nodiscard]] SeriesOutline outline_of(const std::filesystem::path& path, const ReadOptions& options = {});

class SeriesReader {
 public:
  explicit SeriesReader(const std::filesystem::path& path, const ReadOptions& options = {});
  SeriesReader(SeriesReader&&) noexcept;
  SeriesReader& operator=(SeriesReader&&) noexcept;
  ~SeriesReader();

  /// Whether the file can be read a second time; a pipe cannot.
  [[nodiscard]] bool can_be_read_again() const noexcept;
  /// Reads through all of it, and so checks it, then starts over. What comes from a pipe is copied to a temporary file.
  /// std::invalid_argument after next. `progress` is called with what is known so far; what it throws comes out.
  [[nodiscard]] SeriesOutline outline(const std::function<void(const SeriesOutline&)>& progress = {});
  /// The next cases; none at the end.
  [[nodiscard]] std::optional<Dataset> next(const PartSize& size = {});
  /// All that is left, in one piece.
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
  /// What was written without finish is gone, and what was there stays.
  ~SeriesWriter();

  void write(const Dataset& part);
  void finish();

  struct Sink;

 private:
  std::unique_ptr<Sink> sink_;
};

/// tsv, csv, ts, arff, npy, npz.
[[nodiscard]] std::vector<std::string> series_formats();
/// The format that a file's extension names; FileError where it names none.
[[nodiscard]] std::string series_format(const std::filesystem::path& path);

}  // namespace diffeo
