// .tsv: a case a line, the label first, tabs between; NaN at the end of a line is padding. With a header it is a table
// as .csv.
#include <cmath>

#include "data/case_builder.hpp"
#include "data/formats.hpp"
#include "data/table_layout.hpp"
#include "data/text_source.hpp"
#include "diffeo/error.hpp"

namespace diffeo::files {
namespace {

constexpr Delimiters kTabs("\t");

void drop_padding(CaseBuilder& builder) {
  while (builder.open_values() > 0 && std::isnan(builder.values().back())) builder.values().pop_back();
}

class TsvCases final : public TextCases {
 public:
  using TextCases::TextCases;

 private:
  [[nodiscard]] bool read_case() override {
    if (!source_.next_line()) return false;
    const std::size_t line = source_.line();
    const std::string label(source_.field(kTabs));
    while (source_.stop() == '\t') builder_.values().push_back(source_.number(kTabs));
    check_columns(builder_.open_values(), label, line);
    drop_padding(builder_);
    if (builder_.open_values() == 0) source_.fail(line, 0, "expected at least one value before the padding, got none");
    builder_.end_case(1, label, line);
    return true;
  }

  void check_columns(std::size_t count, const std::string& label, std::size_t line) {
    if (count == 0) source_.fail(line, 0, "expected a label and values with tabs between, got " + in_quotes(label));
    if (builder_.cases() == 0) {
      columns_ = count;
      first_line_ = line;
    }
    if (count == columns_) return;
    source_.fail(line, 0,
                 message("expected ", columns_, " values as in line ", first_line_, ", got ", count,
                         " (pad shorter series with NaN)"));
  }

  std::size_t columns_ = 0;
  std::size_t first_line_ = 0;
};

class TsvSink final : public CaseSink {
 public:
  using CaseSink::CaseSink;

 private:
  void begin() override { require_one_channel(file_, outline_); }

  void check_labels(const Dataset& part) override {
    require_labels_not_empty(file_, part, cases());
    for (const std::string& name : part.class_names()) {
      require_held(name.find_first_of("\t\r\n") == std::string::npos, file_,
                   "expected labels without tabs and line ends, got " + in_quotes(name), ".npz");
    }
  }

  void write_case(const Dataset& part, std::size_t item, std::size_t number) override {
    const SeriesView<const double> series = part.series(item);
    require_held(!std::isnan(series.values().back()), file_,
                 message("case ", number, " ends in a missing value, which .tsv would read as padding"), ".ts or .npz");
    if (part.labeled()) file_.write(part.label(item));
    for (const double value : series.values()) {
      file_.write('\t');
      file_.write_number(value);
    }
    for (std::size_t time = series.length; time < outline_.longest; ++time) file_.write("\tNaN");
    file_.write('\n');
  }
};

}  // namespace

std::unique_ptr<CaseSource> tsv_source(InputFile file, const ReadOptions& options) {
  TextSource source(std::move(file));
  const bool is_asked = options.table.is_asked() || !std::holds_alternative<UsualLabelColumn>(options.label);
  if (!is_asked && !starts_with_names(source)) return std::make_unique<TsvCases>(std::move(source));
  ReadOptions with_tabs = options;
  if (with_tabs.table.delimiter == '\0') with_tabs.table.delimiter = '\t';
  return table_source(std::move(source), with_tabs);
}

std::unique_ptr<CaseSink> tsv_sink(OutputFile& file, const SeriesOutline& outline) {
  return std::make_unique<TsvSink>(file, outline);
}

}  // namespace diffeo::files
