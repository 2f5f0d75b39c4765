// .npz: an archive of NumPy arrays: X, y where there are labels, `lengths` where they differ, `classes` where y alone
// does not tell them.
#include <algorithm>

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

/// The lengths of the series; all of the padded one where the archive says nothing.
std::vector<std::size_t> read_lengths(ZipReader& archive, const SeriesArray& series) {
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
void drop_padding(SeriesArray& series, const std::vector<std::size_t>& lengths) {
  double* to = series.values.data();
  for (std::size_t row = 0; row < series.cases * series.channels; ++row) {
    const double* const from = series.values.data() + row * series.time;
    to = std::copy(from, from + lengths[row / series.channels], to);
  }
  series.values.resize(static_cast<std::size_t>(to - series.values.data()));
}

std::vector<std::string> read_texts(ZipReader& archive, const ZipMember& member) {
  const std::unique_ptr<ByteSource> bytes = archive.open(member);
  const NpyHeader header = read_npy_header(*bytes);
  if (header.shape.size() != 1) {
    throw FileError({bytes->name()}, "expected one dimension, got shape " + shape_text(header.shape));
  }
  return read_npy_texts(*bytes, header);
}

void read_labels(ZipReader& archive, Dataset& set) {
  const ZipMember* const member = archive.find(kLabels);
  if (member == nullptr) return;
  const std::vector<std::string> labels = read_texts(archive, *member);
  if (labels.size() != set.cases()) {
    throw FileError({archive.name() + ": " + kLabels},
                    message("expected ", set.cases(), " labels, one per case, got ", labels.size()));
  }
  const ZipMember* const declared = archive.find(kClasses);
  if (declared == nullptr) {
    set.set_labels(labels);
    return;
  }
  std::vector<std::string> classes = read_texts(archive, *declared);
  std::vector<std::size_t> numbers;
  for (const std::string& label : labels) {
    const auto found = std::find(classes.begin(), classes.end(), label);
    if (found == classes.end())
      throw FileError({archive.name() + ": " + kLabels}, "expected one of the classes, got " + in_quotes(label));
    numbers.push_back(static_cast<std::size_t>(found - classes.begin()));
  }
  std::vector<std::string> sorted = classes;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    throw FileError({archive.name() + ": " + kClasses}, "expected different classes, got one twice");
  set.set_labels(std::move(numbers), std::move(classes));
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

std::vector<std::string> labels_of(const Dataset& set) {
  std::vector<std::string> labels;
  for (std::size_t item = 0; item < set.cases(); ++item) labels.push_back(set.label(item));
  return labels;
}

/// Whether the classes are those of the cases, in the order in which they first come.
bool are_told_by_labels(const Dataset& set) {
  std::size_t known = 0;
  for (const std::size_t label : set.labels()) {
    if (label > known) return false;
    known = std::max(known, label + 1);
  }
  return known == set.class_names().size();
}

void write_lengths(ByteSink& sink, const Dataset& set) {
  write_npy_header(sink, "<i8", {set.cases()});
  std::string bytes;
  for (std::size_t item = 0; item < set.cases(); ++item) append_little_endian(bytes, std::uint64_t{set.length(item)});
  sink.write(bytes);
}

}  // namespace

Dataset read_npz(const std::filesystem::path& path) {
  ZipReader archive(path);
  const ZipMember* const member = archive.find(kSeries);
  if (member == nullptr) {
    std::string found;
    for (const ZipMember& other : archive.members()) found += (found.empty() ? "" : ", ") + in_quotes(other.name);
    throw FileError({archive.name()}, "expected an array X, got " + (found.empty() ? "an empty archive" : found));
  }
  SeriesArray series = read_series_array(*archive.open(*member));
  const std::vector<std::size_t> lengths = read_lengths(archive, series);
  drop_padding(series, lengths);
  Dataset set(series.channels, std::move(series.values), lengths);
  read_labels(archive, set);
  return set;
}

void write_npz(OutputFile& file, const Dataset& set) {
  for (const std::string& name : set.class_names()) {
    require_held(is_utf8(name) && !name.ends_with('\0'), file,
                 "expected labels in UTF-8 that do not end in a zero byte, got " + in_quotes(name), "other labels");
  }
  ZipWriter archive(file);
  archive.add(kSeries, [&](ByteSink& sink) { write_series_array(sink, set); });
  if (set.labelled()) archive.add(kLabels, [&](ByteSink& sink) { write_texts(sink, labels_of(set)); });
  if (!set.equally_long()) archive.add(kLengths, [&](ByteSink& sink) { write_lengths(sink, set); });
  if (set.labelled() && !are_told_by_labels(set))
    archive.add(kClasses, [&](ByteSink& sink) { write_texts(sink, set.class_names()); });
  archive.finish();
}

}  // namespace diffeo::files
