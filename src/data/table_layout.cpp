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
constexpr std::uint64_t kSampledBytes = std::uint64_t{1} << 14;
constexpr std::string_view kCandidates = ";\t,|";
constexpr Delimiters kAnyDelimiter(kCandidates);
constexpr std::size_t kMostListed = 8;
constexpr std::size_t kFewNumbered = 3;
constexpr std::size_t kMostKept = 64;

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
  constexpr std::size_t kLongest = 4;
  return text.size() <= kLongest && std::ranges::find(kWords, std::string_view(lowered(text))) != kWords.end();
}

bool is_whole(double value) { return std::isfinite(value) && value == std::floor(value); }

/// Digits with a comma among them, and nothing else that a number in this form could not have.
bool has_decimal_comma(std::string_view text) {
  return std::ranges::count(text, ',') == 1 && text.find('.') == std::string_view::npos &&
         table_number(text, true).has_value();
}

/// The names of the columns, of which there may be millions: t0, t1, t2 and so on take the room of one. Numbers that do
/// not go on so are not kept, for they are values.
class ColumnNames {
 public:
  void add(std::string_view text) {
    const std::size_t digits = text.size() - (text.find_last_not_of("0123456789") + 1);
    const std::size_t used = std::min<std::size_t>(digits, kMostDigits);
    std::string stem(text.substr(0, text.size() - used));
    std::optional<std::size_t> number;
    const std::string_view tail = text.substr(text.size() - used);
    if (!tail.empty() && (tail.size() == 1 || tail.front() != '0')) number = std::stoul(std::string(tail));
    if (!number) stem = text;
    if (number && !runs_.empty() && runs_.back().goes_on(size_, stem, *number)) {
      ++runs_.back().count;
    } else if (!number_in(text) || (number && stem.empty() && !has_numbers_)) {
      has_numbers_ |= stem.empty();
      runs_.push_back({size_, std::move(stem), number, 1});
    }
    ++size_;
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Empty if it is not kept.
  [[nodiscard]] std::string at(std::size_t column) const {
    const auto after = std::ranges::upper_bound(runs_, column, {}, &Run::first);
    if (after == runs_.begin()) return "";
    const Run& run = *std::prev(after);
    return column < run.first + run.count ? run.name(column - run.first) : "";
  }
  [[nodiscard]] std::optional<std::size_t> find(const std::string& name) const {
    for (const Run& run : runs_) {
      if (!name.starts_with(run.stem)) continue;
      for (std::size_t i = 0; i < run.count; ++i) {
        if (run.name(i) == name) return run.first + i;
      }
    }
    return std::nullopt;
  }
  /// Calls action(column, name) for the names that stand alone.
  void for_each_single(const auto& action) const {
    for (const Run& run : runs_) {
      if (run.count == 1) action(run.first, run.name(0));
    }
  }
  /// Calls action(column, count, stem) for the names in runs.
  void for_each_run(const auto& action) const {
    for (const Run& run : runs_) action(run.first, run.count, run.stem + (run.number ? "" : " "));
  }

 private:
  static constexpr std::size_t kMostDigits = 9;

  struct Run {
    std::size_t first;
    std::string stem;
    std::optional<std::size_t> number;
    std::size_t count;

    [[nodiscard]] bool goes_on(std::size_t column, const std::string& other, std::size_t next) const {
      return number && column == first + count && other == stem && next == *number + count;
    }
    [[nodiscard]] std::string name(std::size_t offset) const {
      return number ? stem + std::to_string(*number + offset) : stem;
    }
  };

  std::vector<Run> runs_;
  std::size_t size_ = 0;
  bool has_numbers_ = false;
};

/// What fields of a column are, together.
using Kinds = std::uint8_t;
constexpr Kinds kText = 1;
constexpr Kinds kNumber = 2;
constexpr Kinds kFraction = 4;
constexpr Kinds kFirst = 8;  // times what the first line has

Kinds kinds_of(std::string_view text) {
  if (is_missing(text)) return 0;
  std::optional<double> value = number_in(text);
  if (!value) value = table_number(text, true);
  if (!value) return kText;
  return is_whole(*value) ? kNumber : static_cast<Kinds>(kNumber | kFraction);
}

struct FoundText {
  std::string text;
  std::size_t line;
};

/// The first lines: of the very first its names, of the others what every column holds.
struct Sample {
  ColumnNames names = {};
  std::vector<Kinds> columns = {};              // of the first line times kFirst, and of those after it
  std::map<std::size_t, FoundText> texts = {};  // the first of a column that is no number, of a few columns
  std::size_t first_line = 1;
  std::size_t lines = 0;
  std::size_t words = 0;  // of the first line, and its numbers
  std::size_t numbers = 0;
  bool numbers_count = true;  // 0, 1, 2 and so on
  bool numbers_ascend = true;
  bool starts_empty = false;
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
    double last = -std::numeric_limits<double>::infinity();
    do {
      const std::string field = table_field(source_, delimiters_);
      const std::string_view text = trimmed(field);
      const Kinds kinds = kinds_of(text);
      if (sample_.columns.empty()) sample_.starts_empty = text.empty();
      sample_.names.add(text);
      look_for_decimals(text);
      if ((kinds & kText) != 0) {
        ++sample_.words;
        keep(sample_.columns.size(), text, sample_.first_line);
      } else if (kinds != 0) {
        const double number = number_in(text).value_or(table_number(text, true).value_or(last));
        sample_.numbers_count &= number == static_cast<double>(sample_.numbers);
        sample_.numbers_ascend &= number > last;
        last = number;
        ++sample_.numbers;
      }
      sample_.columns.push_back(static_cast<Kinds>(kinds * kFirst));
    } while (source_.stop() != '\n');
  }

  void read_next() {
    const std::size_t line = source_.line();
    std::size_t column = 0;
    do {
      const std::string field = table_field(source_, delimiters_);
      const std::string_view text = trimmed(field);
      if (sample_.lines == 0 && column == 0) sample_.second_starts_empty = text.empty();
      look_for_decimals(text);
      if (column < sample_.columns.size()) {
        const Kinds kinds = kinds_of(text);
        sample_.columns[column] |= kinds;
        if ((kinds & kText) != 0) keep(column, text, line);
      }
      ++column;
    } while (source_.stop() != '\n');
    ++sample_.lines;
  }

  /// Text of the first line may be a name: what comes below it is rather said.
  void keep(std::size_t column, std::string_view text, std::size_t line) {
    const auto found = sample_.texts.find(column);
    if (found == sample_.texts.end()) {
      if (sample_.texts.size() < kMostKept) sample_.texts.insert({column, {std::string(text), line}});
    } else if (found->second.line == sample_.first_line) {
      found->second = {std::string(text), line};
    }
  }

  void look_for_decimals(std::string_view text) {
    if (sample_.comma.empty() && has_decimal_comma(text)) sample_.comma = text;
    if (sample_.point.empty() && text.find('.') != std::string_view::npos && number_in(text)) sample_.point = text;
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
    for (Kinds& kinds : sample_.columns) {
      kinds = static_cast<Kinds>((kinds | (layout_.has_header ? 0 : kinds / kFirst)) % kFirst);
    }
    layout_.roles.columns = sample_.columns.size();
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
    bool has_known_name = false;
    sample_.names.for_each_single([&](std::size_t, const std::string& name) {
      has_known_name |= !name.empty() && (is_known(name) || is_asked_for(name));
    });
    if (has_known_name) return true;
    const std::size_t count = sample_.columns.size();
    const bool has_corner = sample_.starts_empty && sample_.lines > 0 && !sample_.second_starts_empty;
    if (sample_.numbers == 0 && sample_.words > 0 && sample_.words + (has_corner ? 1 : 0) == count) return true;
    if (sample_.words > 0 || sample_.numbers < 2) return false;
    if (has_corner && sample_.numbers + 1 == count) return sample_.numbers_ascend;
    return sample_.numbers == count && sample_.numbers_count && !rest_is_whole();
  }

  [[nodiscard]] static bool is_known(const std::string& text) {
    return is_among(text, kLabelNames) || is_among(text, kIdNames) || is_among(text, kTimeNames) ||
           (!text.empty() && is_among(text, kCounterNames));
  }

  [[nodiscard]] bool is_asked_for(const std::string& text) const {
    if (number_in(text)) return false;  // then it is a value, and the column was asked for by its number
    const auto is_it = [&](const std::string& name) { return !name.empty() && name == text; };
    const std::string* const label = std::get_if<std::string>(&options_.label);
    return (label != nullptr && is_it(*label)) || is_it(table_.id) || is_it(table_.time) || is_it(table_.value) ||
           std::ranges::any_of(table_.columns, is_it);
  }

  [[nodiscard]] bool rest_is_whole() const {
    return std::ranges::all_of(sample_.columns, [](Kinds kinds) { return (kinds & (kText | kFraction)) == 0; });
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
      layout_.roles.set(numbered(*number, "label column"), ColumnRole::kLabel);
    } else if (const std::string* name = std::get_if<std::string>(&options_.label)) {
      layout_.roles.set(named(*name), ColumnRole::kLabel);
    } else if (layout_.has_header) {
      set_label_by_name();
    } else {
      set_label_by_text();
    }
  }

  /// The y of x, y and z is none, and neither is the y that is the only column of values.
  void set_label_by_name() {
    std::vector<std::pair<std::size_t, std::string>> found;
    sample_.names.for_each_single([&](std::size_t column, const std::string& name) {
      if (is_free(column) && is_among(name, kLabelNames) && !(lowered(name) == "y" && is_value_called_y(column))) {
        found.emplace_back(column, name);
      }
    });
    choose("label", found, ColumnRole::kLabel);
  }

  [[nodiscard]] bool is_value_called_y(std::size_t y) const {
    bool has_x = false;
    std::size_t others = sample_.columns.size() - 1;
    sample_.names.for_each_single([&](std::size_t column, const std::string& name) {
      has_x |= lowered(name) == "x";
      const bool has_role = is_among(name, kIdNames) || is_among(name, kTimeNames) || is_among(name, kCounterNames);
      if (column != y && has_role) --others;
    });
    return has_x || others == 0;
  }

  void choose(const std::string& word, const std::vector<std::pair<std::size_t, std::string>>& found, ColumnRole role) {
    if (found.size() > 1) {
      fail(sample_.first_line, 0,
           message("columns ", in_quotes(found[0].second), " and ", in_quotes(found[1].second), " may both be the ",
                   word, "; say which with ", word, " (--", word, ")"));
    }
    if (!found.empty()) layout_.roles.set(found[0].first, role);
  }

  /// Without names: text at either end is a label; there can be nothing else than values between.
  void set_label_by_text() {
    if (sample_.columns.size() < 2) return;
    for (const std::size_t column : {std::size_t{0}, sample_.columns.size() - 1}) {
      if (sample_.columns[column] != kText) continue;
      layout_.roles.set(column, ColumnRole::kLabel);
      return;
    }
  }

  void leave_out_counter() {
    const std::string name = sample_.names.at(0);  // empty too for a number that is not kept
    if (!is_free(0) || !(name.empty() ? sample_.starts_empty : is_among(name, kCounterNames))) return;
    layout_.roles.set(0, ColumnRole::kLeftOut);
  }

  template <std::size_t count>
  void set_named(const std::array<std::string_view, count>& names, ColumnRole role, const std::string& word) {
    std::vector<std::pair<std::size_t, std::string>> found;
    sample_.names.for_each_single([&](std::size_t column, const std::string& name) {
      if (is_free(column) && is_among(name, names)) found.emplace_back(column, name);
    });
    choose(word, found, role);
  }

  [[nodiscard]] bool is_free(std::size_t column) const { return layout_.roles.at(column) == ColumnRole::kValue; }

  void set_asked(const std::string& name, ColumnRole role) {
    if (!name.empty()) layout_.roles.set(named(name), role);
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
    layout_.roles.others = ColumnRole::kLeftOut;
    for (const std::size_t column : chosen) layout_.roles.set(column, ColumnRole::kValue);
  }

  /// A name or number, or two with a colon between.
  [[nodiscard]] std::pair<std::size_t, std::size_t> range(const std::string& text) const {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos || column_called(text)) return {named(text), named(text)};
    const std::pair<std::size_t, std::size_t> ends = {named(text.substr(0, colon)), named(text.substr(colon + 1))};
    if (ends.first > ends.second) fail(sample_.first_line, 0, "expected columns in ascending order, got " + text);
    return ends;
  }

  [[nodiscard]] std::optional<std::size_t> column_called(const std::string& name) const {
    return layout_.has_header ? sample_.names.find(name) : std::nullopt;
  }

  /// By name, or by number where no column is called so.
  [[nodiscard]] std::size_t named(const std::string& name) const {
    if (const std::optional<std::size_t> column = column_called(name)) return *column;
    if (const std::optional<double> number = number_in(name); number && is_whole(*number)) {
      return numbered(static_cast<std::ptrdiff_t>(*number));
    }
    fail(sample_.first_line, 0, message("expected a header with a column named ", in_quotes(name), ", got ", listed()));
  }

  [[nodiscard]] std::size_t numbered(std::ptrdiff_t number, const std::string& what = "column") const {
    const auto count = static_cast<std::ptrdiff_t>(layout_.roles.columns);
    if (number < -count || number >= count) {
      fail(sample_.first_line, 0, message("expected a ", what, " ", number, ", got ", count, " columns"));
    }
    return static_cast<std::size_t>(number < 0 ? number + count : number);
  }

  // --- what cannot be --------------------------------------------------------------------------------------------------

  void require_values_to_be_numbers() const {
    if (!layout_.has_header) return;  // then the line that has the text is refused, by its place
    for (const auto& [column, found] : sample_.texts) {
      if (!is_free(column) || sample_.columns[column] != kText || found.line == sample_.first_line) continue;
      const std::string name = in_quotes(sample_.names.at(column));
      fail(found.line, column + 1,
           message("expected numbers in the column ", name, ", got ", in_quotes(found.text), "; for labels say label ",
                   name, " (--label), else choose the columns with values (--columns)"));
    }
  }

  /// Not one other name among t0, t1, t2 and so on.
  void require_names_of_one_kind() const {
    if (!layout_.has_header || is_chosen()) return;
    std::map<std::string, std::size_t> stems;
    std::size_t columns = 0;
    sample_.names.for_each_run([&](std::size_t column, std::size_t count, const std::string& stem) {
      if (!is_free(column)) return;
      stems[stem] += count;
      columns += count;
    });
    const auto most = std::ranges::max_element(stems, {}, &std::pair<const std::string, std::size_t>::second);
    if (most == stems.end() || most->second < kFewNumbered || 3 * most->second < 2 * columns) return;
    sample_.names.for_each_run([&](std::size_t column, std::size_t, const std::string& stem) {
      if (!is_free(column) || stem == most->first) return;
      const std::string name = in_quotes(sample_.names.at(column));
      fail(sample_.first_line, column + 1,
           message("expected a time step like the other columns, got ", name, "; for labels say label ", name,
                   " (--label), else choose the columns with values (--columns)"));
    });
  }

  [[nodiscard]] bool is_chosen() const { return !table_.columns.empty() || !table_.value.empty(); }

  /// Whole numbers at one end, and none of the others whole: labels, very likely, that nobody would look for.
  void require_no_hidden_labels() const {
    if (!std::holds_alternative<UsualLabelColumn>(options_.label) || layout_.count(ColumnRole::kLabel) > 0) return;
    if (layout_.count(ColumnRole::kValue) < kFewNumbered) return;
    const auto is_whole_column = [](Kinds kinds) { return (kinds & kFraction) == 0; };
    if (std::ranges::count_if(sample_.columns, is_whole_column) != 1) return;
    for (const std::size_t column : {std::size_t{0}, sample_.columns.size() - 1}) {
      if (!is_free(column) || !is_whole_column(sample_.columns[column])) continue;
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
    for (std::size_t column = 0; column < std::min(kMostListed, sample_.columns.size()); ++column) {
      list += (column == 0 ? "" : ", ") + in_quotes(sample_.names.at(column));
    }
    return list + (sample_.columns.size() > kMostListed ? ", ..." : "");
  }

  // --- in words --------------------------------------------------------------------------------------------------------

  [[nodiscard]] std::string shown(std::size_t column) const {
    return layout_.has_header ? in_quotes(sample_.names.at(column)) : std::to_string(column);
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
    for (const auto& [column, role] : layout_.roles.special) {
      if (role == ColumnRole::kLabel) words.push_back("labels in column " + shown(column));
      if (role == ColumnRole::kId) words.push_back("cases named in column " + shown(column));
      if (role == ColumnRole::kTime) words.push_back("times in column " + shown(column));
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

std::size_t ColumnRoles::count(ColumnRole role) const {
  std::size_t found = role == others ? columns - special.size() : 0;
  for (const auto& each : special) found += each.second == role ? 1 : 0;
  return found;
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
    const std::string first(trimmed(source.field(kTab)));
    const bool is_number = !first.empty() && table_number(first, false);
    if (source.stop() == '\t' && !is_number) {
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
  if (sample.columns.empty()) source.fail(0, 0, "expected at least one series, got none");
  return Decision(source, options, std::move(sample), delimiter).layout();
}

}  // namespace diffeo::files
