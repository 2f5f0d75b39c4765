// .csv: a case a line, commas between, "quotes" around what needs them; with or without a header.
#include <algorithm>
#include <limits>
#include <optional>

#include "data/case_builder.hpp"
#include "data/formats.hpp"
#include "data/text_source.hpp"
#include "diffeo/error.hpp"

namespace diffeo::files {
namespace {

constexpr Delimiters kCommas(",");
constexpr std::string_view kLabelName = "label";
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// A field's text without the quotes around it; what ended the field is in source.stop().
std::string csv_field(TextSource& source) {
  if (source.peek() != '"') return std::string(source.field(kCommas));
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
  const std::string rest(source.field(kCommas));
  if (!trimmed(rest).empty()) {
    source.fail(line, column, "expected a comma after the closing quote, got " + in_quotes(rest));
  }
  return text;
}

std::vector<std::string> csv_line(TextSource& source) {
  std::vector<std::string> fields;
  do {
    fields.push_back(csv_field(source));
  } while (source.stop() == ',');
  return fields;
}

/// What the first line says about those that follow.
struct Layout {
  bool has_header = false;
  std::size_t columns = 0;
  std::optional<std::size_t> label;
};

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) text += (i == 0 ? "" : ", ") + in_quotes(names[i]);
  return text + (names.size() > kMost ? ", ..." : "");
}

std::optional<std::size_t> column_named(const std::vector<std::string>& fields, std::string_view name) {
  for (std::size_t column = 0; column < fields.size(); ++column) {
    if (trimmed(fields[column]) == name) return column;
  }
  return std::nullopt;
}

std::size_t column_numbered(std::ptrdiff_t number, std::size_t columns, const TextSource& source, std::size_t line) {
  const auto count = static_cast<std::ptrdiff_t>(columns);
  if (number < -count || number >= count) {
    source.fail(line, 0, message("expected a label column ", number, ", got ", columns, " columns"));
  }
  return static_cast<std::size_t>(number < 0 ? number + count : number);
}

/// Whether all values are words: then they are names, not data.
bool are_names(const std::vector<std::string>& fields, std::optional<std::size_t> label) {
  bool any = false;
  for (std::size_t column = 0; column < fields.size(); ++column) {
    if (column == label) continue;
    const std::string_view text = trimmed(fields[column]);
    if (text.empty() || number_or_missing(text)) return false;
    any = true;
  }
  return any;
}

Layout layout_of(const std::vector<std::string>& first, const LabelColumn& label, const TextSource& source,
                 std::size_t line) {
  Layout layout;
  layout.columns = first.size();
  if (const std::string* name = std::get_if<std::string>(&label)) {
    layout.label = column_named(first, *name);
    layout.has_header = true;
    if (!layout.label) {
      source.fail(line, 0, "expected a header with a column named " + in_quotes(*name) + ", got " + listed(first));
    }
    return layout;
  }
  const std::optional<std::size_t> usual = column_named(first, kLabelName);
  if (const std::ptrdiff_t* number = std::get_if<std::ptrdiff_t>(&label)) {
    layout.label = column_numbered(*number, first.size(), source, line);
  } else if (std::holds_alternative<UsualLabelColumn>(label)) {
    layout.label = usual.value_or(0);
  }
  layout.has_header = usual.has_value() || are_names(first, layout.label);
  return layout;
}

/// One line of data on its way into the builder: values at the end that are empty fields are no values.
class CsvCase {
 public:
  CsvCase(TextSource& source, CaseBuilder& builder, const Layout& layout)
      : source_(source), builder_(builder), layout_(layout), line_(source.line()) {}

  void read() {
    do {
      double value;
      if (column_ != layout_.label && source_.fast_number(kCommas, value)) {
        add(value);
      } else {
        const std::size_t line = source_.line();
        add_text(csv_field(source_), line);
      }
    } while (source_.stop() == ',');
    finish();
  }

  void take(const std::vector<std::string>& fields, std::size_t line) {
    line_ = line;
    for (const std::string& field : fields) add_text(field, line);
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
      label_ = field;
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
    if (!value) source_.fail(line, column_ + 1, "expected a number, got " + in_quotes(text));
    add(*value);
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

std::string escaped(const std::string& text) {
  const bool plain = text.find_first_of(",\"\r\n") == std::string::npos && trimmed(text).size() == text.size();
  if (plain) return text;
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '"') result += '"';
    result += letter;
  }
  return result + '"';
}

}  // namespace

Dataset read_csv(const std::filesystem::path& path, const LabelColumn& label) {
  TextSource source(path);
  CaseBuilder builder(source);
  if (!source.next_line()) return builder.finish();
  const std::size_t line = source.line();
  Layout layout;
  {
    const std::vector<std::string> first = csv_line(source);
    layout = layout_of(first, label, source, line);
    if (!layout.has_header) CsvCase(source, builder, layout).take(first, line);
  }
  while (source.next_line()) CsvCase(source, builder, layout).read();
  return builder.finish();
}

void write_csv(OutputFile& file, const Dataset& set) {
  require_one_channel(file, set);
  require_labels_not_empty(file, set);
  const std::size_t longest = set.longest();
  file.write(kLabelName);
  for (std::size_t time = 0; time < longest; ++time) file.write(",t" + std::to_string(time));
  file.write('\n');
  for (std::size_t item = 0; item < set.cases(); ++item) {
    if (set.labelled()) file.write(escaped(set.label(item)));
    const SeriesView<const double> series = set.series(item);
    for (const double value : series.values()) {
      file.write(',');
      file.write_number(value);
    }
    for (std::size_t time = series.length; time < longest; ++time) file.write(',');
    file.write('\n');
  }
}

}  // namespace diffeo::files
