#include "data/table_layout.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "diffeo/error.hpp"

namespace diffeo::files {
namespace {

constexpr std::size_t kSampledLines = 64;
/// Two lines are looked at whatever their length, more only up to here: reading them twice must cost little.
constexpr std::uint64_t kSampledBytes = std::uint64_t{1} << 16;
constexpr std::string_view kCandidates = ";\t,|";
constexpr Delimiters kAnyDelimiter(kCandidates);
constexpr std::size_t kMostListed = 8;
constexpr std::size_t kFewNumbered = 3;

constexpr std::array<std::string_view, 8> kLabelNames = {"label",       "labels", "class", "classes",
                                                         "class_label", "target", "y",     "class_val"};
constexpr std::array<std::string_view, 12> kIdNames = {"id",        "case",       "case_id",     "instance",
                                                       "series_id", "unique_id",  "sample_id",   "item_id",
                                                       "trial_id",  "subject_id", "instance_id", "uid"};
constexpr std::array<std::string_view, 10> kTimeNames = {"time",      "t",  "timestamp", "datetime",   "date",
                                                         "timepoint", "ds", "time_step", "timepoints", "seconds"};
/// What becomes of the index of pandas in a file.
constexpr std::array<std::string_view, 3> kCounterNames = {"", "unnamed: 0", "index"};

template <std::size_t count>
bool is_among(const std::string& name, const std::array<std::string_view, count>& names) {
  std::string plain = lowered(trimmed(name));
  std::ranges::replace(plain, '-', '_');
  return std::ranges::find(names, std::string_view(plain)) != names.end();
}

bool is_missing(std::string_view text) {
  constexpr std::array<std::string_view, 8> kWords = {"", "na", "n/a", "<na>", "null", "none", "nan", "?"};
  return std::ranges::find(kWords, std::string_view(lowered(text))) != kWords.end();
}

bool is_whole(double value) { return std::isfinite(value) && value == std::floor(value); }

/// Digits with a comma among them, and nothing else that a number in this form could not have.
bool has_decimal_comma(std::string_view text) {
  return std::ranges::count(text, ',') == 1 && text.find('.') == std::string_view::npos &&
         table_number(text, true).has_value();
}

struct Facts {
  bool has_text = false;
  bool has_number = false;
  bool is_whole = true;   // of its numbers
  std::string text = {};  // the first that is no number
  std::size_t line = 0;   // of that
};

/// The first lines: the very first as it is, of the others what every column holds.
struct Sample {
  std::vector<std::string> first = {};
  std::size_t first_line = 1;
  std::vector<Facts> columns = {};  // of the lines after the first
  std::size_t lines = 0;
  std::size_t second_line = 0;
  bool second_starts_empty = false;
  std::string comma = {};  // a number with a decimal comma
  std::string point = {};
};

char delimiter_of(TextSource& source) {
  std::array<std::size_t, 4> counts{};
  source.look_ahead();
  if (source.next_line()) {
    do {
      (void)table_field(source, kAnyDelimiter);
      const std::size_t found = kCandidates.find(source.stop());
      if (found != std::string_view::npos) ++counts[found];
    } while (source.stop() != '\n');
  }
  source.start_over();
  for (std::size_t i = 0; i < kCandidates.size(); ++i) {
    if (counts[i] > 0) return kCandidates[i];
  }
  return ',';
}

class Sampler {
 public:
  Sampler(TextSource& source, const Delimiters& delimiters) : source_(source), delimiters_(delimiters) {}

  [[nodiscard]] Sample sample() {
    source_.look_ahead();
    if (source_.next_line()) read_first();
    while (sample_.lines < kSampledLines && (sample_.lines == 0 || source_.bytes_taken() < kSampledBytes) &&
           source_.next_line()) {
      read_next();
    }
    source_.start_over();
    return std::move(sample_);
  }

 private:
  void read_first() {
    sample_.first_line = source_.line();
    do {
      const std::string field = table_field(source_, delimiters_);
      sample_.first.emplace_back(trimmed(field));
      look_for_decimals(sample_.first.back());
    } while (source_.stop() != '\n');
    sample_.columns.resize(sample_.first.size());
  }

  void read_next() {
    const std::size_t line = source_.line();
    if (sample_.lines == 0) sample_.second_line = line;
    std::size_t column = 0;
    do {
      const std::string field = table_field(source_, delimiters_);
      const std::string_view text = trimmed(field);
      if (sample_.lines == 0 && column == 0) sample_.second_starts_empty = text.empty();
      look_for_decimals(text);
      if (column < sample_.columns.size()) add(sample_.columns[column], text, line);
      ++column;
    } while (source_.stop() != '\n');
    ++sample_.lines;
  }

  void look_for_decimals(std::string_view text) {
    if (sample_.comma.empty() && has_decimal_comma(text)) sample_.comma = text;
    if (sample_.point.empty() && text.find('.') != std::string_view::npos && number_in(text)) sample_.point = text;
  }

  static void add(Facts& facts, std::string_view text, std::size_t line) {
    if (is_missing(text)) return;
    std::optional<double> value = number_in(text);
    if (!value) value = table_number(text, true);
    if (value) {
      facts.has_number = true;
      facts.is_whole = facts.is_whole && is_whole(*value);
    } else if (!facts.has_text) {
      facts.has_text = true;
      facts.text = text;
      facts.line = line;
    }
  }

  TextSource& source_;
  const Delimiters& delimiters_;
  Sample sample_;
};

/// Decides, and says why where it cannot.
class Decision {
 public:
  Decision(const TextSource& source, const ReadOptions& options, Sample sample, char delimiter)
      : source_(source), options_(options), table_(options.table), sample_(std::move(sample)) {
    layout_.delimiter = delimiter;
  }

  [[nodiscard]] TableLayout layout() {
    decide_decimal();
    layout_.has_header = table_.header.value_or(is_header());
    if (layout_.has_header) layout_.names = sample_.first;
    if (!layout_.has_header) take_first_as_data();
    layout_.roles.assign(sample_.first.size(), ColumnRole::kValue);
    decide_roles();
    describe();
    return std::move(layout_);
  }

 private:
  [[noreturn]] void fail(std::size_t line, std::size_t column, const std::string& problem) const {
    source_.fail(line, column, problem);
  }

  void decide_decimal() {
    if (table_.decimal != '\0') {
      layout_.has_decimal_comma = table_.decimal == ',';
    } else if (!sample_.comma.empty()) {
      if (!sample_.point.empty()) {
        fail(0, 0,
             message("expected one decimal sign, got ", in_quotes(sample_.comma), " and ", in_quotes(sample_.point),
                     "; say which with decimal (--decimal)"));
      }
      layout_.has_decimal_comma = true;
    }
  }

  /// Words in every column; or numbers that count the columns, or an empty corner above the index of a frame.
  [[nodiscard]] bool is_header() const {
    std::size_t words = 0;
    std::size_t known = 0;
    std::vector<double> numbers;
    for (std::size_t column = 0; column < sample_.first.size(); ++column) {
      const std::string& text = sample_.first[column];
      if (is_known(text) || is_asked_for(text)) ++known;
      if (const std::optional<double> number = table_number(text, layout_.has_decimal_comma)) {
        if (!is_missing(text)) numbers.push_back(*number);
      } else {
        ++words;
      }
    }
    const bool has_corner = sample_.first.front().empty() && sample_.lines > 0 && !sample_.second_starts_empty;
    if (known > 0 || (numbers.empty() && words > 0 && words + (has_corner ? 1 : 0) == sample_.first.size()))
      return true;
    if (words > 0 || numbers.size() < 2) return false;
    if (has_corner && numbers.size() + 1 == sample_.first.size()) return std::ranges::is_sorted(numbers);
    return numbers.size() == sample_.first.size() && counts_from_zero(numbers) && !rest_is_whole();
  }

  [[nodiscard]] static bool is_known(const std::string& text) {
    return is_among(text, kLabelNames) || is_among(text, kIdNames) || is_among(text, kTimeNames) ||
           (!text.empty() && is_among(text, kCounterNames));
  }

  [[nodiscard]] bool is_asked_for(const std::string& text) const {
    const auto is_it = [&](const std::string& name) { return !name.empty() && name == text; };
    const std::string* const label = std::get_if<std::string>(&options_.label);
    return (label != nullptr && is_it(*label)) || is_it(table_.id) || is_it(table_.time) || is_it(table_.value) ||
           std::ranges::any_of(table_.columns, is_it);
  }

  [[nodiscard]] static bool counts_from_zero(const std::vector<double>& numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] != static_cast<double>(i)) return false;
    }
    return true;
  }

  [[nodiscard]] bool rest_is_whole() const {
    return std::ranges::all_of(sample_.columns, [](const Facts& each) { return each.is_whole && !each.has_text; });
  }

  void take_first_as_data() {
    for (std::size_t column = 0; column < sample_.first.size(); ++column) {
      const std::string& text = sample_.first[column];
      Facts& facts = sample_.columns[column];
      if (is_missing(text)) continue;
      if (const std::optional<double> value = table_number(text, layout_.has_decimal_comma)) {
        facts.has_number = true;
        facts.is_whole = facts.is_whole && is_whole(*value);
      } else {
        facts.has_text = true;
        facts.text = text;
        facts.line = sample_.first_line;
      }
    }
  }

  // --- which column is which ------------------------------------------------------------------------------------------

  void decide_roles() {
    set_asked(table_.id, ColumnRole::kId);
    set_asked(table_.time, ColumnRole::kTime);
    decide_label();
    if (layout_.has_header) {
      leave_out_counter();
      if (table_.id.empty()) set_named(kIdNames, ColumnRole::kId, "id");
      if (table_.time.empty() && !is_wide_by_request()) set_named(kTimeNames, ColumnRole::kTime, "time");
    }
    choose_values();
    if (layout_.count(ColumnRole::kValue) == 0) {
      fail(sample_.first_line, 0, "expected columns with values, got " + listed());
    }
    require_values_to_be_numbers();
    require_names_of_one_kind();
    if (!layout_.has_header) require_no_hidden_labels();
    require_cases();
  }

  void decide_label() {
    if (std::holds_alternative<NoLabelColumn>(options_.label)) return;
    if (const std::ptrdiff_t* number = std::get_if<std::ptrdiff_t>(&options_.label)) {
      layout_.roles[numbered(*number, "label column")] = ColumnRole::kLabel;
    } else if (const std::string* name = std::get_if<std::string>(&options_.label)) {
      layout_.roles[named(*name)] = ColumnRole::kLabel;
    } else if (layout_.has_header) {
      set_label_by_name();
    } else {
      set_label_by_text();
    }
  }

  /// The y of x, y and z is none, and neither is the y that is the only column of values.
  void set_label_by_name() {
    const bool has_x = std::ranges::any_of(layout_.names, [](const std::string& name) { return lowered(name) == "x"; });
    std::vector<std::size_t> found;
    for (const std::size_t column : free_columns()) {
      const bool is_y = lowered(layout_.names[column]) == "y";
      if (is_among(layout_.names[column], kLabelNames) && !(is_y && (has_x || is_only_value(column)))) {
        found.push_back(column);
      }
    }
    if (found.size() > 1) {
      fail(sample_.first_line, 0,
           message("columns ", in_quotes(layout_.names[found[0]]), " and ", in_quotes(layout_.names[found[1]]),
                   " may both be the label; say which with label (--label)"));
    }
    if (!found.empty()) layout_.roles[found[0]] = ColumnRole::kLabel;
  }

  [[nodiscard]] bool is_only_value(std::size_t column) const {
    for (std::size_t other = 0; other < layout_.names.size(); ++other) {
      const std::string& name = layout_.names[other];
      const bool has_role = is_among(name, kIdNames) || is_among(name, kTimeNames) || is_among(name, kCounterNames);
      if (other != column && !has_role) return false;
    }
    return true;
  }

  /// Without names: text at either end is a label; there can be nothing else than values between.
  void set_label_by_text() {
    if (sample_.columns.size() < 2) return;
    for (const std::size_t column : {std::size_t{0}, sample_.columns.size() - 1}) {
      if (!sample_.columns[column].has_text || sample_.columns[column].has_number) continue;
      layout_.roles[column] = ColumnRole::kLabel;
      return;
    }
  }

  void leave_out_counter() {
    if (layout_.roles[0] != ColumnRole::kValue || !is_among(layout_.names[0], kCounterNames)) return;
    layout_.roles[0] = ColumnRole::kLeftOut;
  }

  template <std::size_t count>
  void set_named(const std::array<std::string_view, count>& names, ColumnRole role, const std::string& word) {
    std::vector<std::size_t> found;
    for (const std::size_t column : free_columns()) {
      if (is_among(layout_.names[column], names)) found.push_back(column);
    }
    if (found.size() > 1) {
      fail(sample_.first_line, 0,
           message("columns ", in_quotes(layout_.names[found[0]]), " and ", in_quotes(layout_.names[found[1]]),
                   " may both be the ", word, "; say which with ", word, " (--", word, ")"));
    }
    if (!found.empty()) layout_.roles[found[0]] = role;
  }

  void set_asked(const std::string& name, ColumnRole role) {
    if (!name.empty()) layout_.roles[named(name)] = role;
  }

  [[nodiscard]] bool is_wide_by_request() const { return !table_.columns.empty() && table_.id.empty(); }

  /// Only the columns asked for: the others are left out.
  void choose_values() {
    std::vector<std::string> wanted = table_.columns;
    if (!table_.value.empty()) wanted.push_back(table_.value);
    if (wanted.empty()) return;
    std::set<std::size_t> chosen;
    for (const std::string& name : wanted) {
      const auto [first, last] = range(name);
      for (std::size_t column = first; column <= last; ++column) chosen.insert(column);
    }
    for (std::size_t column = 0; column < layout_.roles.size(); ++column) {
      ColumnRole& role = layout_.roles[column];
      if (chosen.contains(column)) {
        role = ColumnRole::kValue;
      } else if (role == ColumnRole::kValue) {
        role = ColumnRole::kLeftOut;
      }
    }
  }

  /// A name or number, or two with a colon between.
  [[nodiscard]] std::pair<std::size_t, std::size_t> range(const std::string& text) const {
    const std::size_t colon = text.find(':');
    const bool is_name = std::ranges::find(layout_.names, text) != layout_.names.end();
    if (colon == std::string::npos || is_name) return {named(text), named(text)};
    const std::pair<std::size_t, std::size_t> ends = {named(text.substr(0, colon)), named(text.substr(colon + 1))};
    if (ends.first > ends.second) fail(sample_.first_line, 0, "expected columns in ascending order, got " + text);
    return ends;
  }

  /// By name, or by number where no column is called so.
  [[nodiscard]] std::size_t named(const std::string& name) const {
    const auto found = std::ranges::find(layout_.names, name);
    if (found != layout_.names.end()) return static_cast<std::size_t>(found - layout_.names.begin());
    if (const std::optional<double> number = number_in(name); number && is_whole(*number)) {
      return numbered(static_cast<std::ptrdiff_t>(*number));
    }
    fail(sample_.first_line, 0, message("expected a header with a column named ", in_quotes(name), ", got ", listed()));
  }

  [[nodiscard]] std::size_t numbered(std::ptrdiff_t number, const std::string& what = "column") const {
    const auto count = static_cast<std::ptrdiff_t>(layout_.roles.size());
    if (number < -count || number >= count) {
      fail(sample_.first_line, 0, message("expected a ", what, " ", number, ", got ", count, " columns"));
    }
    return static_cast<std::size_t>(number < 0 ? number + count : number);
  }

  [[nodiscard]] std::vector<std::size_t> free_columns() const {
    std::vector<std::size_t> columns;
    for (std::size_t column = 0; column < layout_.roles.size(); ++column) {
      if (layout_.roles[column] == ColumnRole::kValue) columns.push_back(column);
    }
    return columns;
  }

  // --- what cannot be --------------------------------------------------------------------------------------------------

  void require_values_to_be_numbers() const {
    if (!layout_.has_header) return;  // then the line that has the text is refused, by its place
    for (const std::size_t column : free_columns()) {
      const Facts& facts = sample_.columns[column];
      if (!facts.has_text || facts.has_number) continue;
      const std::string name = in_quotes(layout_.names[column]);
      fail(facts.line, column + 1,
           message("expected numbers in the column ", name, ", got ", in_quotes(facts.text), "; for labels say label ",
                   name, " (--label), else choose the columns with values (--columns)"));
    }
  }

  /// Not one other name among t0, t1, t2 and so on.
  void require_names_of_one_kind() const {
    if (!layout_.has_header || is_chosen()) return;
    const std::vector<std::size_t> columns = free_columns();
    std::map<std::string, std::size_t> stems;
    for (const std::size_t column : columns) ++stems[stem(layout_.names[column])];
    const auto most = std::ranges::max_element(stems, {}, &std::pair<const std::string, std::size_t>::second);
    if (most == stems.end() || most->second < kFewNumbered || most->second == columns.size()) return;
    if (3 * most->second < 2 * columns.size()) return;
    for (const std::size_t column : columns) {
      const std::string& name = layout_.names[column];
      if (stem(name) == most->first) continue;
      fail(sample_.first_line, column + 1,
           message("expected a time step like the other columns, got ", in_quotes(name), "; for labels say label ",
                   in_quotes(name), " (--label), else choose the columns with values (--columns)"));
    }
  }

  /// The name without the number at its end; the name itself without one.
  [[nodiscard]] static std::string stem(const std::string& name) {
    const std::size_t last = name.find_last_not_of("0123456789.");
    const std::size_t size = last == std::string::npos ? 0 : last + 1;
    return size == name.size() ? name + " " : name.substr(0, size);
  }

  [[nodiscard]] bool is_chosen() const { return !table_.columns.empty() || !table_.value.empty(); }

  /// Whole numbers at one end, and none of the others whole: labels, very likely, that nobody would look for.
  void require_no_hidden_labels() const {
    if (!std::holds_alternative<UsualLabelColumn>(options_.label) || layout_.count(ColumnRole::kLabel) > 0) return;
    const std::vector<std::size_t> columns = free_columns();
    if (columns.size() < 3) return;
    const auto is_whole_column = [&](std::size_t column) { return sample_.columns[column].is_whole; };
    if (std::ranges::count_if(columns, is_whole_column) != 1) return;
    for (const std::size_t column : {columns.front(), columns.back()}) {
      if (!is_whole_column(column)) continue;
      fail(0, 0,
           message("column ", column, " alone has whole numbers, which may be labels: say label ", column, " (--label ",
                   column, ") if they are, or that there are no labels (--no-label, label=False)"));
    }
  }

  void require_cases() const {
    const std::size_t values = layout_.count(ColumnRole::kValue);
    const bool has_id = layout_.count(ColumnRole::kId) > 0;
    if (layout_.count(ColumnRole::kTime) > 0 && !has_id) {
      fail(sample_.first_line, 0,
           "the rows are times, and no column says of which case; say which with id (--id), or put a case in each row");
    }
    const bool is_asked =
        is_chosen() || std::holds_alternative<NoLabelColumn>(options_.label) || layout_.count(ColumnRole::kLabel) > 0;
    if (values == 1 && !has_id && !is_asked && sample_.lines > 1) {
      fail(sample_.first_line, 0,
           "expected a case in every row, got one column: is it one case, with a row for each time step? Put it in "
           "one row");
    }
  }

  [[nodiscard]] std::string listed() const {
    std::string list;
    for (std::size_t column = 0; column < std::min(kMostListed, sample_.first.size()); ++column) {
      list += (column == 0 ? "" : ", ") + in_quotes(sample_.first[column]);
    }
    return list + (sample_.first.size() > kMostListed ? ", ..." : "");
  }

  // --- in words --------------------------------------------------------------------------------------------------------

  [[nodiscard]] std::string shown(std::size_t column) const {
    return layout_.has_header ? in_quotes(layout_.names[column]) : std::to_string(column);
  }

  void describe() {
    constexpr std::array<std::pair<char, std::string_view>, 4> kWords = {
        {{',', "commas"}, {';', "semicolons"}, {'\t', "tabs"}, {'|', "bars"}}};
    const auto* const word = std::ranges::find(kWords, layout_.delimiter, &std::pair<char, std::string_view>::first);
    std::vector<std::string>& words = layout_.decisions;
    words.push_back(word == kWords.end() ? message("fields separated by ", in_quotes(std::string(1, layout_.delimiter)))
                                         : message(word->second, " between fields"));
    if (layout_.has_decimal_comma) words.emplace_back("decimal commas");
    words.emplace_back(layout_.has_header ? "a header" : "no header");
    for (std::size_t column = 0; column < layout_.roles.size(); ++column) {
      if (layout_.roles[column] == ColumnRole::kLabel) words.push_back("labels in column " + shown(column));
      if (layout_.roles[column] == ColumnRole::kId) words.push_back("cases named in column " + shown(column));
      if (layout_.roles[column] == ColumnRole::kTime) words.push_back("times in column " + shown(column));
    }
    if (layout_.count(ColumnRole::kLabel) == 0) words.emplace_back("no labels");
    const std::size_t left_out = layout_.count(ColumnRole::kLeftOut);
    if (left_out > 0) words.push_back(message(left_out, left_out == 1 ? " column left out" : " columns left out"));
    const std::size_t values = layout_.count(ColumnRole::kValue);
    words.push_back(layout_.is_long() ? message("a row per time step, ", values, values == 1 ? " channel" : " channels")
                                      : message("a row per case, ", values, values == 1 ? " value" : " values"));
  }

  const TextSource& source_;
  const ReadOptions& options_;
  const TableOptions& table_;
  Sample sample_;
  TableLayout layout_;
};

}  // namespace

bool TableLayout::is_long() const noexcept { return count(ColumnRole::kTime) > 0; }

std::size_t TableLayout::count(ColumnRole role) const noexcept {
  return static_cast<std::size_t>(std::ranges::count(roles, role));
}

std::string table_field(TextSource& source, const Delimiters& delimiters) {
  if (source.peek() != '"') return std::string(source.field(delimiters));
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
  const std::string rest(source.field(delimiters));
  if (!trimmed(rest).empty()) {
    source.fail(line, column, "expected a comma after the closing quote, got " + in_quotes(rest));
  }
  return text;
}

std::optional<double> table_number(std::string_view text, bool has_decimal_comma) {
  if (is_missing(text)) return std::numeric_limits<double>::quiet_NaN();
  if (!has_decimal_comma) return number_in(text);
  if (text.find('.') != std::string_view::npos) return std::nullopt;
  std::string with_point(text);
  std::ranges::replace(with_point, ',', '.');
  return number_in(with_point);
}

bool starts_with_names(TextSource& source) {
  constexpr Delimiters kTab("\t");
  source.look_ahead();
  bool found = false;
  if (source.next_line()) {
    (void)source.field(kTab);
    if (source.stop() == '\t') {
      const std::string second(trimmed(source.field(kTab)));
      found = !second.empty() && (std::isalpha(static_cast<unsigned char>(second.front())) != 0 || second[0] == '"') &&
              !table_number(second, false);
    }
  }
  source.start_over();
  return found;
}

TableLayout layout_of(TextSource& source, const ReadOptions& options) {
  const char asked = options.table.delimiter;
  const char delimiter = asked != '\0' ? asked : delimiter_of(source);
  const Delimiters delimiters(std::string_view(&delimiter, 1));
  Sample sample = Sampler(source, delimiters).sample();
  if (sample.first.empty()) source.fail(0, 0, "expected at least one series, got none");
  return Decision(source, options, std::move(sample), delimiter).layout();
}

}  // namespace diffeo::files
