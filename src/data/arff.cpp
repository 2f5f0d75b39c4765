// .arff: attributes, then a case a line. Either numeric attributes, one per time, and a nominal one that is the label;
// or one relational attribute, a 'quoted' field with the channels as lines (\n) of values, and the label after it.
#include <algorithm>
#include <cmath>
#include <optional>

#include "data/case_builder.hpp"
#include "data/formats.hpp"
#include "data/text_source.hpp"
#include "diffeo/error.hpp"

namespace diffeo::files {
namespace {

constexpr Delimiters kArffCommas(",");
constexpr Delimiters kInsideQuotes(",\\'\"");

struct Header {
  bool relational = false;
  std::size_t length = 0;            // numeric attributes: of a case, or of a channel where there is a relational one
  std::optional<std::size_t> label;  // its position among the attributes
  std::size_t class_line = 0;        // where its classes are declared; 0 for a label of free text or numbers
};

bool is_quote(char letter) { return letter == '\'' || letter == '"'; }

/// Words of a header line, one by one: quoted ones without their quotes, and { , } as words of their own.
class Words {
 public:
  Words(std::string_view text, const TextSource& source, std::size_t line)
      : rest_(text), source_(source), line_(line) {}

  [[nodiscard]] bool done() {
    rest_ = trimmed(rest_);
    return rest_.empty() || rest_.front() == '%';
  }

  std::string next() {
    if (done()) source_.fail(line_, 0, "expected more after " + in_quotes(last_) + ", got the end of the line");
    was_quoted_ = is_quote(rest_.front());
    if (was_quoted_) return last_ = quoted_word();
    const bool is_mark = rest_.find_first_of("{},") == 0;
    const std::size_t size = is_mark ? 1 : std::min(rest_.find_first_of(" \t{},'\""), rest_.size());
    last_ = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return last_;
  }

  /// Everything up to the next comma or closing brace, blanks inside included.
  std::string next_class() {
    if (!done() && is_quote(rest_.front())) return next();
    was_quoted_ = false;
    const std::size_t size = std::min(rest_.find_first_of(",}"), rest_.size());
    last_ = trimmed(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return last_;
  }

  [[nodiscard]] bool was_quoted() const { return was_quoted_; }

 private:
  std::string quoted_word() {
    const char quote = rest_.front();
    std::string word;
    for (std::size_t i = 1; i < rest_.size(); ++i) {
      if (rest_[i] == quote) {
        rest_.remove_prefix(i + 1);
        return word;
      }
      if (rest_[i] == '\\' && i + 1 < rest_.size()) ++i;
      word += rest_[i];
    }
    source_.fail(line_, 0, "expected a closing quote, got the end of the line");
  }

  std::string_view rest_;
  std::string last_;
  bool was_quoted_ = false;
  const TextSource& source_;
  std::size_t line_;
};

class HeaderReader {
 public:
  HeaderReader(TextSource& source, CaseBuilder& builder) : source_(source), builder_(builder) {}

  Header read() {
    while (source_.next_line()) {
      line_ = source_.line();
      const std::string text(source_.field(kLineEnds));
      Words words(text, source_, line_);
      if (words.done()) continue;
      const std::string keyword = lowered(words.next());
      if (keyword == "@data") return checked();
      take(keyword, words);
    }
    source_.fail(line_, 0, "expected @data after the attributes, got the end of the file");
  }

 private:
  void take(const std::string& keyword, Words& words) {
    if (keyword == "@attribute") {
      take_attribute(words);
    } else if (keyword == "@end") {
      if (!inside_) source_.fail(line_, 0, "expected a relational attribute before @end, got none");
      inside_ = false;
    } else if (keyword != "@relation") {
      source_.fail(line_, 0, "expected @relation, @attribute, @end or @data, got " + in_quotes(keyword));
    }
  }

  void take_attribute(Words& words) {
    (void)words.next();  // its name
    const std::string type = lowered(words.next());
    if (type == "relational" && !words.was_quoted()) {
      take_relational();
    } else if (type == "numeric" || type == "real" || type == "integer") {
      take_numeric();
    } else if (type == "{" || type == "string") {
      take_label(type == "{" ? &words : nullptr);
    } else {
      source_.fail(line_, 0,
                   "expected an attribute that is numeric, relational, string or {nominal}, got " + in_quotes(type));
    }
  }

  void take_relational() {
    if (attributes_ > 0 || inside_) source_.fail(line_, 0, "expected one relational attribute, the first, got another");
    header_.relational = inside_ = true;
    ++attributes_;
  }

  /// A value; after a relational attribute the label, a number as in sets for regression.
  void take_numeric() {
    if (header_.relational && !inside_) {
      take_label(nullptr);
      return;
    }
    ++header_.length;
    if (!inside_) ++attributes_;
  }

  void take_label(Words* classes) {
    if (inside_) source_.fail(line_, 0, "expected numeric attributes inside the relational one, got another type");
    if (header_.label) source_.fail(line_, 0, "expected one attribute for the label, got a second");
    header_.label = attributes_++;
    if (classes == nullptr) return;
    header_.class_line = line_;
    std::string mark;
    do {
      const std::string name = classes->next_class();
      if (!is_utf8(name)) source_.fail(line_, 0, "expected a class in UTF-8, got " + in_quotes(name));
      builder_.declare_class(name);
      mark = classes->next();
      if (mark != "," && mark != "}")
        source_.fail(line_, 0, "expected a comma or } after a class, got " + in_quotes(mark));
    } while (mark == ",");
  }

  Header checked() const {
    if (inside_) source_.fail(line_, 0, "expected @end of the relational attribute before @data, got none");
    if (header_.length == 0) source_.fail(line_, 0, "expected numeric attributes before @data, got none");
    return header_;
  }

  TextSource& source_;
  CaseBuilder& builder_;
  Header header_;
  bool inside_ = false;
  std::size_t attributes_ = 0;
  std::size_t line_ = 1;
};

class CaseReader {
 public:
  CaseReader(TextSource& source, CaseBuilder& builder, const Header& header, std::size_t& channels)
      : source_(source), builder_(builder), header_(header), channels_(channels), line_(source.line()) {}

  void read() {
    if (source_.peek() == '{') source_.fail(line_, 1, "expected values with commas between, got a sparse case");
    std::size_t channels = 1;
    if (header_.relational) {
      channels = read_relational();
    } else {
      read_flat();
    }
    if (builder_.cases() == 0) channels_ = channels;
    if (channels != channels_) {
      source_.fail(line_, 0, message("expected ", channels_, " channels as in the first case, got ", channels));
    }
    builder_.end_case(channels, label_, line_);
  }

 private:
  void read_flat() {
    const std::size_t attributes = header_.length + (header_.label ? 1 : 0);
    for (std::size_t attribute = 0; attribute < attributes; ++attribute) {
      if (attribute == header_.label) {
        read_label();
      } else {
        builder_.values().push_back(source_.number(kArffCommas));
      }
      if (source_.stop() == '\n' && attribute + 1 < attributes) {
        source_.fail(line_, 0, message("expected ", attributes, " fields, one per attribute, got ", attribute + 1));
      }
    }
    require_line_end(attributes);
  }

  std::size_t read_relational() {
    const char quote = source_.peek();
    if (!is_quote(quote))
      source_.fail(line_, 1, "expected a quote before the channels, got " + in_quotes({&quote, quote != '\n'}));
    source_.take();
    std::size_t channels = 0;
    do {
      read_channel(++channels);
      if (source_.stop() == '\\' && source_.take() != 'n')
        source_.fail(line_, 0, "expected \\n between channels, got \\ alone");
    } while (source_.stop() == '\\');
    if (source_.stop() != quote) source_.fail(line_, 0, "expected a closing quote after the channels, got another end");
    const std::string rest(source_.field(kArffCommas));
    if (!trimmed(rest).empty()) source_.fail(line_, 0, "expected a comma after the channels, got " + in_quotes(rest));
    if (!header_.label) {
      require_line_end(1);
      return channels;
    }
    if (source_.stop() == '\n') source_.fail(line_, 0, "expected a comma and a label after the channels, got neither");
    read_label();
    require_line_end(2);
    return channels;
  }

  void read_channel(std::size_t channel) {
    std::size_t count = 0;
    do {
      builder_.values().push_back(source_.number(kInsideQuotes));
      ++count;
    } while (source_.stop() == ',');
    if (count != header_.length) {
      source_.fail(
          line_, 0,
          message("expected ", header_.length, " values in channel ", channel, ", one per attribute, got ", count));
    }
  }

  void read_label() {
    const std::size_t column = source_.column();
    label_ = label_text();
    if (label_.empty() || label_ == "?") source_.fail(line_, column, "expected a label, got " + in_quotes(label_));
    if (header_.class_line != 0 && !builder_.is_declared(label_)) {
      source_.fail(line_, column,
                   message("expected one of the classes of line ", header_.class_line, ", got ", in_quotes(label_)));
    }
  }

  std::string label_text() {
    source_.skip_blanks();
    const char quote = source_.peek();
    if (!is_quote(quote)) return std::string(trimmed(source_.field(kArffCommas)));
    source_.take();
    std::string text;
    while (source_.peek() != quote) {
      if (source_.peek() == '\n')
        source_.fail(line_, 0, "expected a closing quote after the label, got the end of the line");
      if (source_.peek() == '\\') source_.take();
      text += source_.take();
    }
    source_.take();
    const std::string rest(source_.field(kArffCommas));
    if (!trimmed(rest).empty())
      source_.fail(line_, 0, "expected the label alone in its field, got " + in_quotes(rest) + " after it");
    return text;
  }

  void require_line_end(std::size_t attributes) {
    if (source_.stop() == '\n') return;
    source_.fail(
        line_, 0,
        message("expected ", attributes, attributes == 1 ? " field" : " fields", ", one per attribute, got more"));
  }

  TextSource& source_;
  CaseBuilder& builder_;
  const Header& header_;
  std::size_t& channels_;
  std::size_t line_;
  std::string label_;
};

std::string escaped_label(const std::string& label) {
  if (!label.empty() && label != "?" && label.find_first_of(" \t,{}%'\"\\") == std::string::npos) return label;
  std::string result = "'";
  for (const char letter : label) {
    if (letter == '\'' || letter == '\\') result += '\\';
    result += letter;
  }
  return result + "'";
}

void write_channel(OutputFile& file, std::span<const double> values) {
  std::string_view comma = "";
  for (const double value : values) {
    file.write(comma);
    if (std::isnan(value)) {
      file.write('?');
    } else {
      file.write_number(value);
    }
    comma = ",";
  }
}

class ArffCases final : public TextCases {
 public:
  explicit ArffCases(InputFile file) : TextCases(std::move(file)), header_(HeaderReader(source_, builder_).read()) {
    builder_.start_here();
  }

 private:
  [[nodiscard]] bool read_case() override {
    while (source_.next_line()) {
      source_.skip_blanks();
      if (source_.peek() != '%' && source_.peek() != '\n') {
        CaseReader(source_, builder_, header_, channels_).read();
        return true;
      }
      (void)source_.field(kLineEnds);
    }
    return false;
  }

  Header header_;
  std::size_t channels_ = 1;
};

class ArffSink final : public CaseSink {
 public:
  using CaseSink::CaseSink;

 private:
  void begin() override {
    require_size_known(file_, outline_);
    require_equally_long(file_, outline_);
    for (const std::string& name : outline_.class_names) {
      require_held(!name.empty() && name != "?" && name.find_first_of("\r\n") == std::string::npos, file_,
                   "expected labels that are not empty or ? and without line ends, got " + in_quotes(name), ".npz");
    }
    write_header();
  }

  void write_header() {
    const bool relational = outline_.channels > 1;
    file_.write("@relation " + escaped_label(problem_name(file_)) + "\n\n");
    if (relational) file_.write("@attribute channels relational\n");
    for (std::size_t time = 0; time < outline_.longest; ++time) {
      file_.write(std::string(relational ? "  " : "") + "@attribute t" + std::to_string(time) + " numeric\n");
    }
    if (relational) file_.write("@end channels\n");
    if (outline_.labeled) write_classes();
    file_.write("\n@data\n");
  }

  void write_classes() {
    file_.write("@attribute label {");
    for (const std::string& name : outline_.class_names) {
      if (name != outline_.class_names.front()) file_.write(',');
      file_.write(escaped_label(name));
    }
    file_.write("}\n");
  }

  void write_case(const Dataset& part, std::size_t item, std::size_t) override {
    const SeriesView<const double> series = part.series(item);
    if (series.channels > 1) file_.write('\'');
    for (std::size_t channel = 0; channel < series.channels; ++channel) {
      if (channel > 0) file_.write("\\n");
      write_channel(file_, series.channel(channel));
    }
    if (series.channels > 1) file_.write('\'');
    if (part.labeled()) {
      file_.write(',');
      file_.write(escaped_label(part.label(item)));
    }
    file_.write('\n');
  }
};

}  // namespace

std::unique_ptr<CaseSource> arff_source(InputFile file, const ReadOptions&) {
  return std::make_unique<ArffCases>(std::move(file));
}

std::unique_ptr<CaseSink> arff_sink(OutputFile& file, const SeriesOutline& outline) {
  return std::make_unique<ArffSink>(file, outline);
}

}  // namespace diffeo::files
