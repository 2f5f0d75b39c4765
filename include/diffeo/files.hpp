// Sets of series in files; the extension says in which form.
//
//   .tsv    the UCR archive's form of 2018: a case a line, the label first, then the values, tabs between. NaN at the
//           end of a line is padding: the series is shorter.
//   .csv    a case a line, commas between, fields in "quotes" where needed. The first line is a header if one of its
//           fields is `label` (or the label column asked for by name), or if none of its values is a number or missing.
//           An empty field is a missing value; empty fields at the end of a line are padding.
//   .ts     the form of aeon and sktime: a header of @tags, then a case a line, `:` between channels, the label last.
//           Time stamps are not read. @missing is taken as a remark: missing values are understood either way.
//   .arff   Weka's form as the UCR and UEA archives use it: numeric attributes and a nominal class, or one relational
//           attribute that holds the channels. Of several attributes without a nominal one all are values.
//   .npy    one NumPy array (cases, time) or (cases, channels, time), in C or Fortran order, of any byte order;
//           floats of 16, 32 or 64 bits, integers or truth values
//   .npz    NumPy arrays X as in .npy and, where there are labels, y (cases,), of text, integers or floats;
//           compressed or not. Series of different lengths: X is padded with NaN, and `lengths` (cases,) says how long
//           they are. Classes that no case has, or in another order than they come: `classes` lists them all.
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
//   * what a form cannot hold is refused, never dropped
//   * numbers are read to the nearest double, and written in the fewest digits that give the same double back; the
//     binary forms keep every bit. NaN (in any case) and ? mean missing in text
//   * labels are the text that stands there: "1" stays "1". The integer 1 of a NumPy file is "1", the float 1.0 "1.0".
//     In .tsv and .csv a label column that is empty throughout means that there are no labels
//   * lines may end in LF or CR LF; empty lines are skipped; text is UTF-8, with or without a byte order mark
//   * FileError (diffeo/file_error.hpp) names the file, line and column, what was expected and what came
//   * reading takes the memory of the result and a buffer; one thread
//   * writing goes to a file beside, which takes the name when it is complete: a failure leaves what was there
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <variant>

#include "diffeo/dataset.hpp"

namespace diffeo {

/// The column named `label`, in letters of any case, else the first.
struct UsualLabelColumn {};
/// Every column holds values.
struct NoLabelColumn {};
/// A column by its name, or by its number from 0; negative numbers count from the end, -1 is the last.
using LabelColumn = std::variant<UsualLabelColumn, NoLabelColumn, std::string, std::ptrdiff_t>;

struct ReadOptions {
  LabelColumn label = UsualLabelColumn{};  ///< of .csv; std::invalid_argument if set for another form
  std::string format = {};                 ///< tsv, csv, ts, arff, npy or npz; empty: what the extension says
  /// Called by whoever reads a pipe, ten times a second while nothing comes; what it throws comes out.
  std::function<void()> waiting = {};
};

[[nodiscard]] Dataset read_dataset(const std::filesystem::path& path, const ReadOptions& options = {});

/// std::invalid_argument for a set without cases.
void write_dataset(const std::filesystem::path& path, const Dataset& set);

}  // namespace diffeo
