// .tsv: a case a line, the label first, tabs between; NaN at the end of a line is padding.
#include <cmath>

#include "data/case_builder.hpp"
#include "data/formats.hpp"
#include "data/text_source.hpp"
#include "diffeo/error.hpp"

namespace diffeo::files {
namespace {

constexpr Delimiters kTabs("\t");

void drop_padding(CaseBuilder& builder) {
  while (builder.open_values() > 0 && std::isnan(builder.values().back())) builder.values().pop_back();
}

}  // namespace

Dataset read_tsv(const std::filesystem::path& path) {
  TextSource source(path);
  CaseBuilder builder(source);
  std::size_t columns = 0;
  std::size_t first_line = 0;
  while (source.next_line()) {
    const std::size_t line = source.line();
    const std::string label(source.field(kTabs));
    while (source.stop() == '\t') builder.values().push_back(source.number(kTabs));
    const std::size_t count = builder.open_values();
    if (count == 0) source.fail(line, 0, "expected a label and values with tabs between, got " + in_quotes(label));
    if (builder.cases() == 0) {
      columns = count;
      first_line = line;
    }
    if (count != columns) {
      source.fail(line, 0,
                  message("expected ", columns, " values as in line ", first_line, ", got ", count,
                          " (pad shorter series with NaN)"));
    }
    drop_padding(builder);
    if (builder.open_values() == 0) source.fail(line, 0, "expected at least one value before the padding, got none");
    builder.end_case(1, label, line);
  }
  return builder.finish();
}

void write_tsv(OutputFile& file, const Dataset& set) {
  require_one_channel(file, set);
  require_labels_not_empty(file, set);
  for (const std::string& name : set.class_names()) {
    require_held(name.find_first_of("\t\r\n") == std::string::npos, file,
                 "expected labels without tabs and line ends, got " + in_quotes(name), ".npz");
  }
  const std::size_t longest = set.longest();
  for (std::size_t item = 0; item < set.cases(); ++item) {
    const SeriesView<const double> series = set.series(item);
    require_held(!std::isnan(series.values().back()), file,
                 message("case ", item, " ends in a missing value, which .tsv would read as padding"), ".ts or .npz");
    if (set.labelled()) file.write(set.label(item));
    for (const double value : series.values()) {
      file.write('\t');
      file.write_number(value);
    }
    for (std::size_t time = series.length; time < longest; ++time) file.write("\tNaN");
    file.write('\n');
  }
}

}  // namespace diffeo::files
