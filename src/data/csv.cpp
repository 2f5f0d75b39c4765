// .csv: tables of text, a row for each case or for each time step of each; data/table_layout.hpp says which.
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_set>

#include "data/case_builder.hpp"
#include "data/formats.hpp"
#include "data/spreadsheet.hpp"
#include "data/table_layout.hpp"
#include "data/text_source.hpp"
#include "diffeo/error.hpp"

namespace diffeo::files {
namespace {

constexpr std::string_view kLabelName = "label";
/// How far a time may be from where equal steps put it, in steps: clocks are read to a few digits.
constexpr double kJitter = 0.05;

/// Where the next field's number goes wrong, in words.
std::string expected_number(std::string_view text, const TableLayout& layout) {
  std::string problem = "expected a number, got " + in_quotes(text);
  if (!layout.has_decimal_comma && table_number(text, true))
    problem += "; for decimal commas say decimal , (--decimal)";
  return problem;
}

/// One row of a wide table on its way into the builder: values at the end that are empty fields are no values.
class WideRow {
 public:
  WideRow(TextSource& source, CaseBuilder& builder, const TableLayout& layout, const Delimiters& delimiters)
      : source_(source), builder_(builder), layout_(layout), delimiters_(delimiters), line_(source.line()) {}

  void read() {
    const ColumnRoles& roles = layout_.roles;
    auto special = roles.special.begin();
    const bool has_points = !layout_.has_decimal_comma;
    std::vector<double>& values = builder_.values();
    std::size_t column = 0;
    do {
      ColumnRole role = roles.others;
      if (special != roles.special.end() && special->first == column) {
        role = special->second;
        ++special;
      }
      double value;
      if (role == ColumnRole::kValue && has_points && source_.fast_number(delimiters_, value)) {
        values.push_back(value);
        used_ = values.size();
      } else {
        const std::size_t line = source_.line();
        add_text(table_field(source_, delimiters_), role, line, column + 1);
      }
      ++column;
    } while (source_.stop() == layout_.delimiter);
    finish(column);
  }

 private:
  void add_text(const std::string& field, ColumnRole role, std::size_t line, std::size_t column) {
    if (role == ColumnRole::kLabel) label_ = label_from_spreadsheet(field);
    if (role != ColumnRole::kValue) return;
    const std::string_view text = trimmed(field);
    const std::optional<double> value = table_number(text, layout_.has_decimal_comma);
    if (!value) source_.fail(line, column, expected_number(text, layout_));
    builder_.values().push_back(*value);
    if (!text.empty()) used_ = builder_.values().size();
  }

  void finish(std::size_t columns) {
    if (columns != layout_.roles.columns) {
      source_.fail(line_, 0,
                   message("expected ", layout_.roles.columns, " fields as in the first line, got ", columns));
    }
    if (used_ == 0) source_.fail(line_, 0, "expected at least one value, got none");
    builder_.values().resize(used_);
    builder_.end_case(1, label_, line_);
  }

  TextSource& source_;
  CaseBuilder& builder_;
  const TableLayout& layout_;
  const Delimiters& delimiters_;
  std::size_t line_;
  std::size_t used_ = 0;  // of the builder's values, without those at the end that are empty fields
  std::string label_;
};

/// Seconds since 1970 of a date as 2024-05-31 or 2024-05-31 12:30:00.250, with T or a blank, Z or nothing after it.
std::optional<double> seconds_of(std::string_view text) {
  if (text.ends_with('Z')) text.remove_suffix(1);
  const auto whole = [&](std::size_t first, std::size_t size) -> std::optional<int> {
    int value = 0;
    if (text.size() < first + size) return std::nullopt;
    const char* const start = text.data() + first;
    const std::from_chars_result result = std::from_chars(start, start + size, value);
    return result.ec == std::errc() && result.ptr == start + size ? std::optional<int>(value) : std::nullopt;
  };
  const std::optional<int> year = whole(0, 4), month = whole(5, 2), day = whole(8, 2);
  if (!year || !month || !day || text[4] != '-' || text[7] != '-') return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  double seconds = 86400.0 * static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
  if (text.size() == 10) return seconds;
  const std::optional<int> hour = whole(11, 2), minute = whole(14, 2);
  if (!hour || !minute || (text[10] != ' ' && text[10] != 'T') || text[13] != ':') return std::nullopt;
  seconds += 3600.0 * *hour + 60.0 * *minute;
  if (text.size() == 16) return seconds;
  const std::optional<double> rest = text[16] == ':' ? number_in(text.substr(17)) : std::nullopt;
  return rest ? std::optional<double>(seconds + *rest) : std::nullopt;
}

/// The rows of a long table, those of one case together: values with the time steps one after the other.
class LongRows {
 public:
  LongRows(TextSource& source, CaseBuilder& builder, const TableLayout& layout, const Delimiters& delimiters)
      : source_(source),
        builder_(builder),
        layout_(layout),
        delimiters_(delimiters),
        channels_(layout.count(ColumnRole::kValue)) {}

  /// All rows of the next case; false at the end.
  [[nodiscard]] bool read() {
    if (!is_waiting_ && !read_row()) return false;
    begin();
    while (read_row()) {
      if (row_.id != id_) {
        is_waiting_ = true;
        break;
      }
      take();
    }
    finish();
    return true;
  }

 private:
  struct Row {
    std::size_t line = 0;
    std::string id = {};
    std::string label = {};
    double time = 0.0;
    std::vector<double> values = {};
  };

  void begin() {
    is_waiting_ = false;
    id_ = row_.id;
    label_ = row_.label;
    line_ = row_.line;
    if (!seen_.insert(id_).second) {
      source_.fail(line_, 0,
                   message("expected the rows of case ", in_quotes(id_), " together, got more of them later"));
    }
    times_.clear();
    channels_values_.assign(channels_, {});
    take();
  }

  void take() {
    if (row_.label != label_) {
      source_.fail(row_.line, 0,
                   message("expected the label ", in_quotes(label_), " as in the other rows of case ", in_quotes(id_),
                           ", got ", in_quotes(row_.label)));
    }
    if (!times_.empty() && row_.time <= times_.back()) {
      source_.fail(row_.line, 0,
                   message("expected ascending times in case ", in_quotes(id_),
                           ", got an earlier one, or "
                           "the same again"));
    }
    times_.push_back(row_.time);
    for (std::size_t channel = 0; channel < channels_; ++channel) {
      channels_values_[channel].push_back(row_.values[channel]);
    }
  }

  void finish() {
    require_equal_steps();
    for (const std::vector<double>& values : channels_values_) {
      builder_.values().insert(builder_.values().end(), values.begin(), values.end());
    }
    builder_.end_case(channels_, label_, line_);
  }

  void require_equal_steps() const {
    if (times_.size() < 3) return;
    const double pace = (times_.back() - times_.front()) / static_cast<double>(times_.size() - 1);
    for (std::size_t step = 0; step < times_.size(); ++step) {
      if (std::abs(times_[step] - (times_.front() + pace * static_cast<double>(step))) <= kJitter * pace) continue;
      source_.fail(line_, 0,
                   message("expected equally spaced times in case ", in_quotes(id_),
                           ", got others; resample the series to equal steps first"));
    }
  }

  [[nodiscard]] bool read_row() {
    if (!source_.next_line()) return false;
    row_.line = source_.line();
    row_.values.clear();
    std::size_t column = 0;
    do {
      const std::size_t line = source_.line();
      const std::string field = table_field(source_, delimiters_);
      if (column < layout_.roles.columns) take_field(trimmed(field), layout_.roles.at(column), line, column + 1);
      ++column;
    } while (source_.stop() == layout_.delimiter);
    if (column != layout_.roles.columns) {
      source_.fail(row_.line, 0,
                   message("expected ", layout_.roles.columns, " fields as in the first line, got ", column));
    }
    return true;
  }

  void take_field(std::string_view text, ColumnRole role, std::size_t line, std::size_t column) {
    if (role == ColumnRole::kId) row_.id = text;
    if (role == ColumnRole::kLabel) row_.label = text;
    if (role == ColumnRole::kTime) {
      std::optional<double> time = table_number(text, layout_.has_decimal_comma);
      if (!time) time = seconds_of(text);
      if (!time || std::isnan(*time)) {
        source_.fail(line, column,
                     "expected a time, a number or a date as 2024-05-31 12:30:00, got " + in_quotes(text));
      }
      row_.time = *time;
    }
    if (role == ColumnRole::kValue) {
      const std::optional<double> value = table_number(text, layout_.has_decimal_comma);
      if (!value) source_.fail(line, column, expected_number(text, layout_));
      row_.values.push_back(*value);
    }
  }

  TextSource& source_;
  CaseBuilder& builder_;
  const TableLayout& layout_;
  const Delimiters& delimiters_;
  std::size_t channels_;
  Row row_;
  bool is_waiting_ = false;
  std::size_t line_ = 0;
  std::string id_;
  std::string label_;
  std::vector<double> times_;
  std::vector<std::vector<double>> channels_values_;
  std::unordered_set<std::string> seen_;
};

std::string escaped_field(const std::string& text) {
  const bool plain = text.find_first_of(",\"\r\n") == std::string::npos && trimmed(text).size() == text.size();
  if (plain) return text;
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '"') result += '"';
    result += letter;
  }
  return result + '"';
}

class TableCases final : public TextCases {
 public:
  TableCases(TextSource source, const ReadOptions& options)
      : TextCases(std::move(source)),
        layout_(layout_of(source_, options)),
        delimiters_(layout_.delimiters()),
        rows_(source_, builder_, layout_, delimiters_) {
    if (layout_.has_header && source_.next_line()) skip_line();
    builder_.start_here();
  }

  [[nodiscard]] std::string description() const override {
    std::string text;
    for (const std::string& decision : layout_.decisions) text += (text.empty() ? "" : ", ") + decision;
    return text;
  }

 private:
  [[nodiscard]] bool read_case() override {
    if (layout_.is_long()) return rows_.read();
    if (!source_.next_line()) return false;
    WideRow(source_, builder_, layout_, delimiters_).read();
    return true;
  }

  void skip_line() {
    do {
      (void)table_field(source_, delimiters_);
    } while (source_.stop() == layout_.delimiter);
  }

  TableLayout layout_;
  Delimiters delimiters_;
  LongRows rows_;
};

class CsvSink final : public CaseSink {
 public:
  using CaseSink::CaseSink;

 private:
  void begin() override {
    require_one_channel(file_, outline_);
    file_.write(kLabelName);
    for (std::size_t time = 0; time < outline_.longest; ++time) file_.write(",t" + std::to_string(time));
    file_.write('\n');
  }

  void check_labels(const Dataset& part) override { require_labels_not_empty(file_, part, cases()); }

  void write_case(const Dataset& part, std::size_t item, std::size_t) override {
    if (part.labeled()) file_.write(escaped_field(text_for_spreadsheet(part.label(item))));
    const SeriesView<const double> series = part.series(item);
    for (const double value : series.values()) {
      file_.write(',');
      file_.write_number(value);
    }
    for (std::size_t time = series.length; time < outline_.longest; ++time) file_.write(',');
    file_.write('\n');
  }
};

}  // namespace

std::unique_ptr<CaseSource> table_source(TextSource source, const ReadOptions& options) {
  return std::make_unique<TableCases>(std::move(source), options);
}

std::unique_ptr<CaseSource> csv_source(InputFile file, const ReadOptions& options) {
  return table_source(TextSource(std::move(file)), options);
}

std::unique_ptr<CaseSink> csv_sink(OutputFile& file, const SeriesOutline& outline) {
  return std::make_unique<CsvSink>(file, outline);
}

}  // namespace diffeo::files
