// How a table of text (.csv, and .tsv with a header) is laid out: what separates fields, which column holds what.
//
// Found out from the first lines before anything is read, or asked for (TableOptions). What could be read in two ways
// is refused with the words that settle it; nothing is guessed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/case_source.hpp"
#include "data/text_source.hpp"
#include "diffeo/files.hpp"

namespace diffeo::files {

enum class ColumnRole : std::uint8_t { kValue, kLabel, kId, kTime, kLeftOut };

/// A role for each of what may be millions of columns: most have the same.
struct ColumnRoles {
  std::size_t columns = 0;
  ColumnRole others = ColumnRole::kValue;
  std::map<std::size_t, ColumnRole> special = {};  ///< whose role is another

  [[nodiscard]] ColumnRole at(std::size_t column) const {
    const auto found = special.find(column);
    return found == special.end() ? others : found->second;
  }
  void set(std::size_t column, ColumnRole role) { special[column] = role; }
  [[nodiscard]] std::size_t count(ColumnRole role) const;
};

struct TableLayout {
  char delimiter = ',';
  bool has_decimal_comma = false;
  bool has_header = false;
  ColumnRoles roles = {};
  std::vector<std::string> decisions = {};  ///< in words, for people

  /// A row for each time step, not for each case.
  [[nodiscard]] bool is_long() const { return count(ColumnRole::kTime) > 0; }
  [[nodiscard]] std::size_t count(ColumnRole role) const { return roles.count(role); }
  [[nodiscard]] Delimiters delimiters() const noexcept { return Delimiters(std::string_view(&delimiter, 1)); }
};

/// Reads the first lines and starts over. FileError where the table cannot be read, or in more than one way.
[[nodiscard]] TableLayout layout_of(TextSource& source, const ReadOptions& options);
/// Whether the first line has names in its columns, as no .tsv of the UCR archive does; starts over.
[[nodiscard]] bool starts_with_names(TextSource& source);
/// The cases of such a table.
[[nodiscard]] std::unique_ptr<CaseSource> table_source(TextSource source, const ReadOptions& options);

/// A field's text without the quotes around it; what ended the field is in source.stop().
[[nodiscard]] std::string table_field(TextSource& source, const Delimiters& delimiters);
/// The number of a field without blanks around it, NaN for a missing one (nothing, NA, NaN, null, ?).
[[nodiscard]] std::optional<double> table_number(std::string_view text, bool has_decimal_comma);

}  // namespace diffeo::files
