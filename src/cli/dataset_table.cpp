#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <sstream>

#include "cli/results_inputs.hpp"
#include "diffeo/error.hpp"
#include "diffeo/file_error.hpp"
#include "diffeo/statistics/reachable_accuracy.hpp"

namespace diffeo::cli {
namespace {

const std::vector<std::string> kPropertyColumns = {"dataset", "type", "train", "test", "length", "classes"};
constexpr std::string_view kFaultColumn = "faults";
/// Written with more, tables may have filled up with zeros.
constexpr std::size_t kMostDigits = 5;
constexpr const char* kUnreachable =
    "no classifier can have this accuracy on a test set of this size: it is no whole number of right answers, rounded "
    "or not";
constexpr const char* kNamedFault = "the table names it as one that cannot be compared";
constexpr const char* kOtherSplit =
    "measured on another split into training and test series than the archive's, which the rest of the row is of";
constexpr std::string_view kSplitMark = ":split";  // behind the name of a column among the faults

std::vector<std::string> parts_of(const std::string& line, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(line);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  if (line.ends_with(separator)) parts.emplace_back();
  return parts;
}

template <class Number>
Number number_of(const std::string& text, const FilePlace& position) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw FileError(position, "expected a number, got " + text);
  }
  return value;
}

/// The methods of a head line; FileError where the columns are others.
std::vector<std::string> methods_of(const std::vector<std::string>& columns, const FilePlace& position) {
  const bool begins = columns.size() > kPropertyColumns.size() &&
                      std::equal(kPropertyColumns.begin(), kPropertyColumns.end(), columns.begin());
  if (!begins || columns.back() != kFaultColumn) {
    throw FileError(position,
                    "expected the columns dataset,type,train,test,length,classes, then methods, then faults, got " +
                        (columns.empty() ? "nothing" : columns.front() + ",..."));
  }
  return {columns.begin() + static_cast<std::ptrdiff_t>(kPropertyColumns.size()), columns.end() - 1};
}

std::size_t digits_of(const std::string& text) {
  const std::size_t point = text.find('.');
  return point == std::string::npos ? 0 : std::min(text.size() - point - 1, kMostDigits);
}

/// Why the table says that the column's value cannot be compared; nothing where it does not.
std::string named_fault(const std::vector<std::string>& faults, const std::string& method) {
  if (std::ranges::find(faults, method + std::string(kSplitMark)) != faults.end()) return kOtherSplit;
  return std::ranges::find(faults, method) != faults.end() ? kNamedFault : "";
}

PublishedValue published_value(const std::string& text, std::size_t test_cases, const std::string& named,
                               const FilePlace& position) {
  PublishedValue result;
  if (text.empty()) return result;
  result.value = number_of<double>(text, position);
  // A bare 1 is all of the cases, not whatever rounds to it.
  if (text.find('.') != std::string::npos) result.digits = digits_of(text);
  const bool is_reachable = test_cases == 0 || is_reachable_accuracy(*result.value, test_cases, digits_of(text));
  result.fault = is_reachable || named == kOtherSplit ? named : kUnreachable;
  return result;
}

KnownDataset dataset_of(const std::vector<std::string>& cells, const std::vector<std::string>& methods,
                        const FilePlace& position) {
  KnownDataset row;
  const auto count = [&](std::size_t column) { return number_of<std::size_t>(cells[column], position); };
  row.properties = {cells[1], count(2), count(3), count(4), count(5)};
  const std::vector<std::string> faults = parts_of(cells.back(), ' ');
  for (std::size_t k = 0; k < methods.size(); ++k) {
    row.published.push_back(published_value(cells[kPropertyColumns.size() + k], row.properties.test_cases,
                                            named_fault(faults, methods[k]), position));
  }
  return row;
}

}  // namespace

DatasetTable read_dataset_table(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) throw FileAccessError(file, "opened", errno);
  DatasetTable table;
  std::string line;
  std::getline(stream, line);
  table.methods = methods_of(parts_of(line, ','), {file, 1});
  for (std::size_t number = 2; std::getline(stream, line); ++number) {
    const std::vector<std::string> cells = parts_of(line, ',');
    const std::size_t expected = kPropertyColumns.size() + table.methods.size() + 1;
    if (cells.size() != expected) {
      throw FileError({file, number}, message("expected ", expected, " values, got ", cells.size()));
    }
    table.rows.emplace(cells[0], dataset_of(cells, table.methods, {file, number}));
  }
  return table;
}

}  // namespace diffeo::cli
