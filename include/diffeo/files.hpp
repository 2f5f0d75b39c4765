// Files with sets of series; the extension determines the format.
//
//   .tsv    the UCR archive's format of 2018: one case per line, the label first, then the values, separated by tabs.
//           NaN at the end of a line is padding: the series is shorter.
//           With a header it is a table as .csv.
//   .csv    a table, one case per line, or one time step of a case if there are columns of cases and times. Fields are
//           separated by commas, semicolons, tabs or bars and in "quotes" if needed; decimals have a point or a
//           comma. The label is in the column called label, class, target or y, or in one of text without a name.
//           The index column of pandas and columns called id are not values. All of it is recognized, or set by
//           TableOptions; what could be read in two ways is refused.
//           An empty field is a missing value; empty fields at the end of a line are padding. Times must be equally
//           spaced. Labels that a spreadsheet would compute (=1+1, @x, +x, -x, but no numbers) have an apostrophe in
//           front, which is not read.
//   .gz     after any of these: compressed by gzip, for reading
//   .ts     the format of aeon and sktime: a header of @tags, then one case per line, `:` between channels, the label
//           last. Time stamps are not read. @missing has no effect: missing values are always accepted.
//   .arff   Weka's format as used by the UCR and UEA archives: numeric attributes and a nominal class, or one
//           relational attribute with the channels. Without a nominal attribute, all attributes are values.
//   .npy    one NumPy array (cases, time) or (cases, channels, time), in C or Fortran order, of any byte order;
//           floats of 16, 32 or 64 bits, integers or booleans
//   .npz    NumPy arrays X as in .npy and, if there are labels, y (cases,), of text, integers or floats;
//           compressed or not. For different lengths, X is padded with NaN and `lengths` (cases,) has the lengths.
//           `classes` lists all classes if some have no case, or their order differs from that of first appearance.
//           Nothing is pickled.
//
//   | holds                            | .tsv | .csv | .ts | .arff | .npy | .npz |
//   |----------------------------------|------|------|-----|-------|------|------|
//   | several channels                 |      |      | yes | yes   | yes  | yes  |
//   | different lengths                | yes  | yes  | yes |       |      | yes  |
//   | missing values                   | yes  | yes  | yes | yes   | yes  | yes  |
//   | missing values at the end        |      | yes  | yes | yes   | yes  | yes  |
//   | labels, or none                  | yes  | yes  | yes | yes   | none | yes  |
//   | classes no case has              |      |      | yes | yes   |      | yes  |
//
//   * content that a format cannot hold is refused, never dropped
//   * numbers are read to the nearest double, and written with the fewest digits that give the same double back;
//     binary formats keep every bit. NaN (in any case) and ? mean missing in text, in tables NA, null and none too
//   * labels keep their text: "1" stays "1". The integer 1 of a NumPy file is "1", the float 1.0 "1.0".
//     In .tsv and .csv an entirely empty label column means no labels
//   * lines may end in LF or CR LF; empty lines are skipped; text is UTF-8, with or without a byte order mark
//   * FileError (diffeo/file_error.hpp) names the file, line and column, the expected and the actual content
//   * reading needs the memory of the result and a buffer; one thread. ReadOptions::max_size bounds that memory, and a
//     file that would take more is refused before it is taken
//   * writing uses a temporary file that is renamed when complete, so a failure leaves the old file
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "diffeo/dataset.hpp"

namespace diffeo {

/// The column called label, class, target or y, ignoring case; without names the one that has text, if any.
struct UsualLabelColumn {};
/// Every column holds values.
struct NoLabelColumn {};
/// A column by name, or by number from 0; negative numbers count from the end, -1 is the last.
using LabelColumn = std::variant<UsualLabelColumn, NoLabelColumn, std::string, std::ptrdiff_t>;

/// How a table (.csv, .tsv) is laid out; what is not set is recognized. Columns are named by their header, or numbered
/// from 0, negative numbers from the end.
struct TableOptions {
  char delimiter = '\0';                  ///< between fields
  char decimal = '\0';                    ///< '.' or ','
  std::optional<bool> header = {};        ///< whether the first line has names
  std::vector<std::string> columns = {};  ///< those with values, also ranges FIRST:LAST; others are left out
  std::string id = {};                    ///< which case a row is of, if it has a time step
  std::string time = {};                  ///< of the row
  std::string value = {};                 ///< the only column with values

  [[nodiscard]] bool is_asked() const noexcept {
    return delimiter != '\0' || decimal != '\0' || header || !columns.empty() || !id.empty() || !time.empty() ||
           !value.empty();
  }
};

struct ReadOptions {
  LabelColumn label = UsualLabelColumn{};  ///< for .csv and .tsv; std::invalid_argument if set for another format
  std::string format = {};                 ///< tsv, csv, ts, arff, npy or npz; empty: by extension
  /// At most so many bytes of memory for what is read at once: the set or a part of it for text, the whole of .npy and
  /// .npz. 0: 64 times the size of the file, at least 1 GiB. More is a FileError. Without a limit, a compressed file of a
  /// megabyte may take gigabytes.
  std::uint64_t max_size = 0;
  /// Called ten times a second while a pipe has no data; exceptions propagate.
  std::function<void()> waiting = {};
  /// Called, at most once and when all has been read, with what is odd about a file that is read all the same: text
  /// without a newline at its end, which may have been cut within its last number.
  std::function<void(const std::string&)> warning = {};
  TableOptions table = {};  ///< for .csv and .tsv, as label
  /// Called with how a table is read, in words, before its first case is.
  std::function<void(const std::string&)> told = {};
};

[[nodiscard]] Dataset read_dataset(const std::filesystem::path& path, const ReadOptions& options = {});

/// std::invalid_argument for a set without cases.
void write_dataset(const std::filesystem::path& path, const Dataset& set);

}  // namespace diffeo
