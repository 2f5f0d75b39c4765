// .ts: a header of @tags, then a case a line; values with commas between, channels with colons, the label last.
#include <algorithm>
#include <optional>

#include "data/case_builder.hpp"
#include "data/formats.hpp"
#include "data/text_source.hpp"
#include "diffeo/error.hpp"

namespace diffeo::files {
namespace {

constexpr Delimiters kMarks(",:");

/// What a line that is a remark starts with; % is found in older files.
bool is_remark(char letter) { return letter == '#' || letter == '%'; }

enum class Labels { unsaid, none, classes, numbers };

struct Header {
  std::optional<std::size_t> channels;
  bool univariate = false;
  bool equally_long = true;
  std::optional<std::size_t> length;
  Labels labels = Labels::unsaid;
  std::size_t class_line = 0;
  std::size_t first_case_line = 0;

  [[nodiscard]] bool labeled() const { return labels == Labels::classes || labels == Labels::numbers; }
};

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> result;
  std::size_t start = 0;
  while ((start = text.find_first_not_of(" \t", start)) != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(" \t", start), text.size());
    result.emplace_back(text.substr(start, end - start));
    start = end;
  }
  return result;
}

class HeaderReader {
 public:
  HeaderReader(TextSource& source, CaseBuilder& builder) : source_(source), builder_(builder) {}

  Header read() {
    while (source_.next_line()) {
      line_ = source_.line();
      const std::vector<std::string> parts = words(source_.field(kLineEnds));
      if (parts.empty() || is_remark(parts[0].front())) continue;
      if (!parts[0].starts_with('@')) {
        source_.fail(line_, 0, "expected a tag such as @data, got " + in_quotes(parts[0]));
      }
      const std::string tag = lowered(parts[0]);
      if (tag == "@data") return checked();
      take(tag, parts);
    }
    source_.fail(line_, 0, "expected @data after the header, got the end of the file");
  }

 private:
  void take(const std::string& tag, const std::vector<std::string>& parts) {
    if (tag == "@timestamps" && flag(parts)) {
      source_.fail(line_, 2, "expected series without time stamps, @timestamps false, got true");
    } else if (tag == "@univariate") {
      header_.univariate = flag(parts);
    } else if (tag == "@dimensions" || tag == "@dimension") {
      header_.channels = count(parts);
    } else if (tag == "@equallength") {
      header_.equally_long = flag(parts);
    } else if (tag == "@serieslength") {
      header_.length = count(parts);
    } else if (tag == "@targetlabel") {
      const bool is_there = flag(parts);
      if (is_there || header_.labels == Labels::unsaid) header_.labels = is_there ? Labels::numbers : Labels::none;
    } else if (tag == "@classlabel") {
      take_classes(parts);
    }
  }

  void take_classes(const std::vector<std::string>& parts) {
    header_.class_line = line_;
    if (!flag(parts)) {
      if (header_.labels == Labels::unsaid) header_.labels = Labels::none;
      return;
    }
    if (parts.size() == 2) source_.fail(line_, 0, "expected the classes after @classLabel true, got none");
    header_.labels = Labels::classes;
    for (std::size_t i = 2; i < parts.size(); ++i) {
      if (!is_utf8(parts[i])) source_.fail(line_, i + 1, "expected a class in UTF-8, got " + in_quotes(parts[i]));
      builder_.declare_class(parts[i]);
    }
  }

  bool flag(const std::vector<std::string>& parts) const {
    const std::string word = parts.size() > 1 ? lowered(parts[1]) : "";
    if (word != "true" && word != "false") {
      source_.fail(line_, 2, "expected true or false after " + parts[0] + ", got " + in_quotes(word));
    }
    return word == "true";
  }

  std::size_t count(const std::vector<std::string>& parts) const {
    const std::optional<double> number = number_in(parts.size() > 1 ? parts[1] : "");
    constexpr double kMost = 1e15;
    if (!number || !(*number >= 1 && *number <= kMost) || *number != static_cast<double>(static_cast<long>(*number))) {
      source_.fail(
          line_, 2,
          "expected a count of at least 1 after " + parts[0] + ", got " + in_quotes(parts.size() > 1 ? parts[1] : ""));
    }
    return static_cast<std::size_t>(*number);
  }

  Header checked() {
    if (header_.labels == Labels::unsaid) {
      source_.fail(line_, 0, "expected @classLabel or @targetLabel, true or false, before @data, got neither");
    }
    if (header_.univariate && header_.channels.value_or(1) != 1) {
      source_.fail(line_, 0,
                   message("expected one dimension as @univariate true says, got @dimensions ", *header_.channels));
    }
    if (header_.univariate) header_.channels = 1;
    return header_;
  }

  TextSource& source_;
  CaseBuilder& builder_;
  Header header_;
  std::size_t line_ = 1;
};

class CaseReader {
 public:
  CaseReader(TextSource& source, CaseBuilder& builder, Header& header)
      : source_(source), builder_(builder), header_(header), line_(source.line()) {}

  void read() {
    std::string label;
    std::size_t channels = 0;
    std::size_t length = 0;
    do {
      const std::size_t column = source_.column();
      const std::string first(trimmed(source_.field(kMarks)));
      if (channels > 0 && source_.stop() == '\n' && (header_.labeled() || first.empty())) {
        label = first;
        break;
      }
      const std::size_t count = read_channel(first, column);
      if (++channels == 1) length = count;
      check_length(channels, count, length);
      if (source_.stop() == '\n' && header_.labeled())
        source_.fail(line_, 0, "expected a colon and a label at the end, got neither");
    } while (source_.stop() == ':');
    check_channels(channels);
    check_label(label);
    builder_.end_case(channels, label, line_);
  }

 private:
  std::size_t read_channel(const std::string& first, std::size_t column) {
    const std::size_t before = builder_.open_values();
    const std::optional<double> value = number_or_missing(first);
    if (!value) source_.fail(line_, column, "expected a number, got " + in_quotes(first));
    builder_.values().push_back(*value);
    while (source_.stop() == ',') builder_.values().push_back(source_.number(kMarks));
    return builder_.open_values() - before;
  }

  void check_length(std::size_t channel, std::size_t count, std::size_t length) {
    if (count != length) {
      source_.fail(
          line_, 0,
          message("expected ", length, " values in channel ", channel, " as in the first channel, got ", count));
    }
    if (!header_.equally_long) return;
    if (!header_.length) {
      header_.length = count;
      header_.first_case_line = line_;
    }
    if (count == *header_.length) return;
    const std::string authority =
        header_.first_case_line == 0 ? std::string("@seriesLength says") : message("in line ", header_.first_case_line);
    source_.fail(line_, 0,
                 message("expected ", *header_.length, " values as ", authority, ", got ", count,
                         " (for different lengths: @equalLength false)"));
  }

  void check_channels(std::size_t channels) {
    if (!header_.channels) header_.channels = channels;
    if (channels == *header_.channels) return;
    source_.fail(line_, 0, message("expected ", *header_.channels, " channels with colons between, got ", channels));
  }

  void check_label(const std::string& label) const {
    if (header_.labeled() && label.empty()) source_.fail(line_, 0, "expected a label at the end, got nothing");
    if (header_.labels == Labels::classes && !builder_.is_declared(label)) {
      source_.fail(line_, 0,
                   message("expected one of the classes of line ", header_.class_line, ", got ", in_quotes(label)));
    }
  }

  TextSource& source_;
  CaseBuilder& builder_;
  Header& header_;
  std::size_t line_;
};

void write_flag(OutputFile& file, std::string_view tag, bool value) {
  file.write(tag);
  file.write(value ? " true\n" : " false\n");
}

class TsCases final : public TextCases {
 public:
  explicit TsCases(InputFile file) : TextCases(std::move(file)), header_(HeaderReader(source_, builder_).read()) {
    builder_.start_here();
  }

 private:
  [[nodiscard]] bool read_case() override {
    while (source_.next_line()) {
      source_.skip_blanks();
      if (!is_remark(source_.peek()) && source_.peek() != '\n') {
        CaseReader(source_, builder_, header_).read();
        return true;
      }
      (void)source_.field(kLineEnds);
    }
    return false;
  }

  Header header_;
};

class TsSink final : public CaseSink {
 public:
  using CaseSink::CaseSink;

 private:
  void begin() override {
    require_size_known(file_, outline_);
    for (const std::string& name : outline_.class_names) {
      require_held(!name.empty() && name.find_first_of(" \t\r\n,:") == std::string::npos, file_,
                   "expected labels without blanks, commas and colons, got " + in_quotes(name), ".arff or .npz");
    }
    write_header();
  }

  void write_header() {
    file_.write("@problemName " + problem_name(file_) + "\n");
    write_flag(file_, "@timestamps", false);
    write_flag(file_, "@missing", outline_.missing > 0);
    write_flag(file_, "@univariate", outline_.channels == 1);
    if (outline_.channels > 1) file_.write(message("@dimensions ", outline_.channels, "\n"));
    write_flag(file_, "@equalLength", outline_.equally_long());
    if (outline_.equally_long()) file_.write(message("@seriesLength ", outline_.longest, "\n"));
    file_.write(outline_.labeled ? "@classLabel true" : "@classLabel false");
    if (outline_.labeled) {
      for (const std::string& name : outline_.class_names) file_.write(" " + name);
    }
    file_.write("\n@data\n");
  }

  void write_case(const Dataset& part, std::size_t item, std::size_t) override {
    const SeriesView<const double> series = part.series(item);
    for (std::size_t channel = 0; channel < series.channels; ++channel) {
      if (channel > 0) file_.write(':');
      std::string_view comma = "";
      for (const double value : series.channel(channel)) {
        file_.write(comma);
        if (value != value) {
          file_.write('?');
        } else {
          file_.write_number(value);
        }
        comma = ",";
      }
    }
    if (part.labeled()) file_.write(":" + part.label(item));
    file_.write('\n');
  }
};

}  // namespace

std::unique_ptr<CaseSource> ts_source(InputFile file, const ReadOptions&) {
  return std::make_unique<TsCases>(std::move(file));
}

std::unique_ptr<CaseSink> ts_sink(OutputFile& file, const SeriesOutline& outline) {
  return std::make_unique<TsSink>(file, outline);
}

}  // namespace diffeo::files
