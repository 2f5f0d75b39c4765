// .npz: an archive of NumPy arrays: X, y where there are labels, `lengths` where they differ, `classes` where y alone
// does not tell them.
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <unordered_map>

#include "data/formats.hpp"
#include "data/npy_array.hpp"
#include "data/series_array.hpp"
#include "data/text_source.hpp"
#include "data/zip.hpp"
#include "diffeo/error.hpp"
#include "diffeo/file_error.hpp"

namespace diffeo::files {
namespace {

constexpr const char* kSeries = "X.npy";
constexpr const char* kLabels = "y.npy";
constexpr const char* kLengths = "lengths.npy";
constexpr const char* kClasses = "classes.npy";
constexpr std::array<std::string_view, 4> kArrays = {kSeries, kLabels, kLengths, kClasses};

struct SeriesShape {
  std::size_t cases = 0;
  std::size_t time = 0;
};

/// The lengths of the series; all of the padded one where the archive says nothing.
std::vector<std::size_t> read_lengths(ZipReader& archive, const SeriesShape& series) {
  const ZipMember* const member = archive.find(kLengths);
  if (member == nullptr) return std::vector<std::size_t>(series.cases, series.time);
  const std::unique_ptr<ByteSource> bytes = archive.open(*member);
  const NpyHeader header = read_npy_header(*bytes);
  if (header.shape != std::vector<std::size_t>{series.cases}) {
    throw FileError({bytes->name()},
                    message("expected ", series.cases, " lengths, one per case, got shape ", shape_text(header.shape)));
  }
  std::vector<std::size_t> lengths;
  for (const double length : read_npy_numbers(*bytes, header)) {
    if (!(length >= 1 && length <= static_cast<double>(series.time)) ||
        length != static_cast<double>(static_cast<std::size_t>(length))) {
      throw FileError({bytes->name()}, message("expected whole numbers from 1 to ", series.time, ", got ", length));
    }
    lengths.push_back(static_cast<std::size_t>(length));
  }
  return lengths;
}

/// Takes the padding out, in place.
void drop_padding(std::vector<double>& values, std::size_t channels, std::size_t time,
                  std::span<const std::size_t> lengths) {
  double* to = values.data();
  for (std::size_t row = 0; row < lengths.size() * channels; ++row) {
    const double* const from = values.data() + row * time;
    to = std::copy(from, from + lengths[row / channels], to);
  }
  values.resize(static_cast<std::size_t>(to - values.data()));
}

std::vector<std::string> read_texts(ZipReader& archive, const ZipMember& member) {
  const std::unique_ptr<ByteSource> bytes = archive.open(member);
  const NpyHeader header = read_npy_header(*bytes);
  if (header.shape.size() != 1) {
    throw FileError({bytes->name()}, "expected one dimension, got shape " + shape_text(header.shape));
  }
  return read_npy_texts(*bytes, header);
}

/// Labels as numbers of classes; none where there are no labels.
struct Labels {
  std::vector<std::size_t> numbers;
  std::vector<std::string> class_names;
};

void require_different(const std::vector<std::string>& classes, const std::string& archive) {
  std::vector<std::string> sorted = classes;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    throw FileError({archive + ": " + kClasses}, "expected different classes, got one twice");
}

Labels read_labels(ZipReader& archive, std::size_t cases) {
  const ZipMember* const member = archive.find(kLabels);
  if (member == nullptr) return {};
  const std::vector<std::string> texts = read_texts(archive, *member);
  if (texts.size() != cases) {
    throw FileError({archive.name() + ": " + kLabels},
                    message("expected ", cases, " labels, one per case, got ", texts.size()));
  }
  Labels labels;
  const ZipMember* const declared = archive.find(kClasses);
  if (declared != nullptr) labels.class_names = read_texts(archive, *declared);
  require_different(labels.class_names, archive.name());
  std::unordered_map<std::string, std::size_t> known;
  for (const std::string& name : labels.class_names) known.emplace(name, known.size());
  for (const std::string& text : texts) {
    const auto [found, is_new] = known.try_emplace(text, known.size());
    if (is_new && declared != nullptr)
      throw FileError({archive.name() + ": " + kLabels}, "expected one of the classes, got " + in_quotes(text));
    if (is_new) labels.class_names.push_back(text);
    labels.numbers.push_back(found->second);
  }
  return labels;
}

/// UTF-8 that is known to be valid, as the code points NumPy has.
std::u32string code_points(std::string_view text) {
  std::u32string result;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte >> 6 == 2) {
      result.back() = result.back() << 6 | (byte & 0x3F);
    } else {
      result += byte < 0x80 ? byte : byte & (byte < 0xE0 ? 0x1F : byte < 0xF0 ? 0x0F : 0x07);
    }
  }
  return result;
}

void write_texts(ByteSink& sink, const std::vector<std::string>& texts) {
  std::size_t longest = 1;
  for (const std::string& text : texts) longest = std::max(longest, code_points(text).size());
  write_npy_header(sink, "<U" + std::to_string(longest), {texts.size()});
  for (const std::string& text : texts) {
    std::u32string codes = code_points(text);
    codes.resize(longest, U'\0');
    std::string bytes;
    for (const char32_t code : codes) append_little_endian(bytes, static_cast<std::uint32_t>(code));
    sink.write(bytes);
  }
}

/// Whether the classes are those of the cases, in the order in which they first come.
bool are_told_by_labels(const Labels& labels) {
  std::size_t known = 0;
  for (const std::size_t label : labels.numbers) {
    if (label > known) return false;
    known = std::max(known, label + 1);
  }
  return known == labels.class_names.size();
}

void write_lengths(ByteSink& sink, const std::vector<std::size_t>& lengths) {
  write_npy_header(sink, "<i8", {lengths.size()});
  std::string bytes;
  for (const std::size_t length : lengths) append_little_endian(bytes, std::uint64_t{length});
  sink.write(bytes);
}

const ZipMember& series_member(const ZipReader& archive) {
  if (const ZipMember* const member = archive.find(kSeries)) return *member;
  std::string found;
  for (const ZipMember& other : archive.members()) found += (found.empty() ? "" : ", ") + in_quotes(other.name);
  throw FileError({archive.name()}, "expected an array X, got " + (found.empty() ? "an empty archive" : found));
}

class NpzCases final : public CaseSource {
 public:
  /// The members are read one at a time: X is opened for its shape, and again for its values when the rest is known.
  explicit NpzCases(InputFile file) : archive_(at_any_place(std::move(file)), kArrays) {
    open_series();
    lengths_ = read_lengths(archive_, {array_->cases(), array_->time()});
    labels_ = read_labels(archive_, array_->cases());
    open_series();
  }

  [[nodiscard]] Dataset all() override { return part(array_->cases() - array_->position()); }
  [[nodiscard]] std::optional<Dataset> next(const PartSize& size) override {
    const std::size_t cases = array_->cases_of(size);
    return cases == 0 ? std::nullopt : std::optional<Dataset>(part(cases));
  }

 private:
  void open_series() {
    array_.reset();
    bytes_ = archive_.open(series_member(archive_));
    array_.emplace(*bytes_);
  }

  [[nodiscard]] Dataset part(std::size_t cases) {
    const auto lengths = std::span(lengths_).subspan(array_->position(), cases);
    std::vector<std::size_t> numbers;
    if (!labels_.numbers.empty()) {
      const auto own = std::span(labels_.numbers).subspan(array_->position(), cases);
      numbers.assign(own.begin(), own.end());
    }
    std::vector<double> values = array_->read(cases);
    drop_padding(values, array_->channels(), array_->time(), lengths);
    Dataset set(array_->channels(), std::move(values), lengths);
    if (!numbers.empty()) set.set_labels(std::move(numbers), labels_.class_names);
    return set;
  }

  ZipReader archive_;
  std::vector<std::size_t> lengths_;
  Labels labels_;
  std::unique_ptr<ByteSource> bytes_;
  std::optional<SeriesArray> array_;
};

class NpzSink final : public CaseSink {
 public:
  NpzSink(OutputFile& file, const SeriesOutline& outline) : CaseSink(file, outline), archive_(file) {
    labels_.class_names = outline.class_names;
    for (const std::string& name : outline.class_names) numbers_.emplace(name, numbers_.size());
  }

 private:
  void begin() override {
    require_held(file_.is_replaceable(), file_, "expected a file for an archive, got a stream", ".tsv, .csv or .ts");
    require_size_known(file_, outline_);
    for (const std::string& name : outline_.class_names) {
      require_held(is_utf8(name) && !name.ends_with('\0'), file_,
                   "expected labels in UTF-8 that do not end in a zero byte, got " + in_quotes(name), "other labels");
    }
    series_ = &archive_.begin(kSeries);
    write_series_array_header(*series_, outline_);
  }

  void write_case(const Dataset& part, std::size_t item, std::size_t) override {
    write_series(*series_, part.series(item), outline_.longest);
    lengths_.push_back(part.length(item));
    if (part.labeled()) labels_.numbers.push_back(numbers_.at(part.label(item)));
  }

  void finish() override {
    archive_.end();
    if (outline_.labeled) {
      std::vector<std::string> texts;
      for (const std::size_t number : labels_.numbers) texts.push_back(labels_.class_names[number]);
      add(kLabels, [&](ByteSink& sink) { write_texts(sink, texts); });
    }
    if (!outline_.equally_long()) add(kLengths, [&](ByteSink& sink) { write_lengths(sink, lengths_); });
    if (outline_.labeled && !are_told_by_labels(labels_))
      add(kClasses, [&](ByteSink& sink) { write_texts(sink, labels_.class_names); });
    archive_.finish();
  }

  template <class Write>
  void add(const char* name, const Write& write) {
    write(archive_.begin(name));
    archive_.end();
  }

  ZipWriter archive_;
  ByteSink* series_ = nullptr;
  std::vector<std::size_t> lengths_;
  Labels labels_;
  std::unordered_map<std::string, std::size_t> numbers_;
};

}  // namespace

std::unique_ptr<CaseSource> npz_source(InputFile file, const ReadOptions&) {
  return std::make_unique<NpzCases>(std::move(file));
}

std::unique_ptr<CaseSink> npz_sink(OutputFile& file, const SeriesOutline& outline) {
  return std::make_unique<NpzSink>(file, outline);
}

}  // namespace diffeo::files
