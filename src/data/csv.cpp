// .csv: a case a line, commas between, "quotes" around what needs them; with or without a header.
#include <algorithm>
#include <cctype>
#include <limits>
#include <optional>

#include "data/case_builder.hpp"
#include "data/formats.hpp"
#include "data/spreadsheet.hpp"
#include "data/text_source.hpp"
#include "diffeo/error.hpp"

namespace diffeo::files {
namespace {

constexpr Delimiters kCsvCommas(",");
constexpr std::string_view kLabelName = "label";
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return result;
}

/// A field's text without the quotes around it; what ended the field is in source.stop().
std::string csv_field(TextSource& source) {
  if (source.peek() != '"') return std::string(source.field(kCsvCommas));
  const std::size_t line = source.line();
  const std::size_t column = source.column();
  source.take();
  std::string text;
  while (true) {
    if (source.at_end()) source.fail(line, column, "expected a closing quote, got the end of the file");
    const char letter = source.take();
    if (letter != '"') {
      text += letter;
    } else if (source.peek() == '"') {
      text += source.take();
    } else {
      break;
    }
  }
  const std::string rest(source.field(kCsvCommas));
  if (!trimmed(rest).empty()) {
    source.fail(line, column, "expected a comma after the closing quote, got " + in_quotes(rest));
  }
  return text;
}

void skip_line(TextSource& source) {
  do {
    (void)csv_field(source);
  } while (source.stop() == ',');
}

/// What the first line says about those that follow.
struct Layout {
  bool has_header = false;
  std::size_t columns = 0;
  std::optional<std::size_t> label;
};

/// Looks through the first line, once and without keeping it: it may be as long as the file.
class FirstLine {
 public:
  FirstLine(TextSource& source, const LabelColumn& label) : source_(source), wanted_(label), line_(source.line()) {
    const std::string* const name = std::get_if<std::string>(&label);
    const std::string_view label_name = name == nullptr ? kLabelName : std::string_view(*name);
    do {
      const std::string field = csv_field(source);
      const std::string_view text = trimmed(field);
      const bool is_named = name == nullptr ? lower_case(text) == label_name : text == label_name;
      if (is_named && !named_) named_ = is_value_.size();
      if (is_value_.size() < kMostListed) listed_ += (listed_.empty() ? "" : ", ") + in_quotes(text);
      is_value_.push_back(text.empty() || number_or_missing(text).has_value());
    } while (source.stop() == ',');
    if (is_value_.size() > kMostListed) listed_ += ", ...";
  }

  [[nodiscard]] Layout layout() const {
    Layout layout;
    layout.columns = is_value_.size();
    layout.label = label_column();
    layout.has_header = named_.has_value() || are_names(layout.label);
    return layout;
  }

 private:
  static constexpr std::size_t kMostListed = 8;

  [[nodiscard]] std::optional<std::size_t> label_column() const {
    if (std::holds_alternative<NoLabelColumn>(wanted_)) return std::nullopt;
    if (const std::ptrdiff_t* number = std::get_if<std::ptrdiff_t>(&wanted_)) return column_numbered(*number);
    if (const std::string* name = std::get_if<std::string>(&wanted_); name != nullptr && !named_) {
      source_.fail(line_, 0, "expected a header with a column named " + in_quotes(*name) + ", got " + listed_);
    }
    return named_.value_or(0);
  }

  [[nodiscard]] std::size_t column_numbered(std::ptrdiff_t number) const {
    const auto count = static_cast<std::ptrdiff_t>(is_value_.size());
    if (number < -count || number >= count) {
      source_.fail(line_, 0, message("expected a label column ", number, ", got ", count, " columns"));
    }
    return static_cast<std::size_t>(number < 0 ? number + count : number);
  }

  /// Whether there are fields besides the label, and all are words: then they are names, not data.
  [[nodiscard]] bool are_names(std::optional<std::size_t> label) const {
    const auto values = static_cast<std::size_t>(std::count(is_value_.begin(), is_value_.end(), true));
    const bool label_is_value = label && is_value_[*label];
    return is_value_.size() > (label ? 1 : 0) && values == (label_is_value ? 1 : 0);
  }

  const TextSource& source_;
  const LabelColumn& wanted_;
  std::size_t line_;
  std::vector<bool> is_value_;  // or missing, rather than a word
  std::optional<std::size_t> named_;
  std::string listed_;
};

/// One line of data on its way into the builder: values at the end that are empty fields are no values.
class CsvCase {
 public:
  CsvCase(TextSource& source, CaseBuilder& builder, const Layout& layout)
      : source_(source), builder_(builder), layout_(layout), line_(source.line()) {}

  void read() {
    do {
      double value;
      if (column_ != layout_.label && source_.fast_number(kCsvCommas, value)) {
        add(value);
      } else {
        const std::size_t line = source_.line();
        add_text(csv_field(source_), line);
      }
    } while (source_.stop() == ',');
    finish();
  }

 private:
  void add(double value) {
    builder_.values().push_back(value);
    used_ = builder_.open_values();
    ++column_;
  }

  void add_text(const std::string& field, std::size_t line) {
    if (column_ == layout_.label) {
      label_ = label_from_spreadsheet(field);
      ++column_;
      return;
    }
    const std::string_view text = trimmed(field);
    if (text.empty()) {
      builder_.values().push_back(kMissing);
      ++column_;
      return;
    }
    const std::optional<double> value = number_or_missing(text);
    if (!value) source_.fail(line, column_ + 1, "expected a number, got " + in_quotes(text) + hint());
    add(*value);
  }

  /// For words in a table with names: they may be labels.
  [[nodiscard]] std::string hint() const {
    return layout_.has_header ? "; labels stand in the column named label, or in the first" : "";
  }

  void finish() {
    if (column_ != layout_.columns) {
      source_.fail(line_, 0, message("expected ", layout_.columns, " fields as in the first line, got ", column_));
    }
    if (used_ == 0) source_.fail(line_, 0, "expected at least one value, got none");
    builder_.values().resize(builder_.values().size() - builder_.open_values() + used_);
    builder_.end_case(1, label_, line_);
  }

  TextSource& source_;
  CaseBuilder& builder_;
  const Layout& layout_;
  std::size_t line_;
  std::size_t column_ = 0;
  std::size_t used_ = 0;
  std::string label_;
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

class CsvCases final : public TextCases {
 public:
  CsvCases(InputFile file, const LabelColumn& label) : TextCases(std::move(file)) {
    source_.look_ahead();
    if (source_.next_line()) layout_ = FirstLine(source_, label).layout();
    source_.start_over();
    if (source_.next_line() && layout_.has_header) skip_line(source_);
    builder_.start_here();
  }

 private:
  [[nodiscard]] bool read_case() override {
    if (!source_.next_line()) return false;
    CsvCase(source_, builder_, layout_).read();
    return true;
  }

  Layout layout_;
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

std::unique_ptr<CaseSource> csv_source(InputFile file, const LabelColumn& label) {
  return std::make_unique<CsvCases>(std::move(file), label);
}

std::unique_ptr<CaseSink> csv_sink(OutputFile& file, const SeriesOutline& outline) {
  return std::make_unique<CsvSink>(file, outline);
}

}  // namespace diffeo::files
