#include "data/tensor_header.hpp"

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_set>
#include <utility>

#include "data/text_source.hpp"
#include "diffeo/error.hpp"
#include "diffeo/file_error.hpp"

namespace diffeo::files {
namespace {

/// Takes the events of nlohmann's parser, whose names for them these are, and refuses the first that does not belong.
class HeaderEvents {
 public:
  using json = nlohmann::json;

  explicit HeaderEvents(const std::string& file) : file_(file) {}

  [[nodiscard]] TensorHeader taken() { return std::move(header_); }

  bool null() { unexpected("null"); }
  bool boolean(bool value) { unexpected(value ? "true" : "false"); }
  bool number_integer(json::number_integer_t value) { unexpected(std::to_string(value)); }  // those with a minus
  bool number_float(json::number_float_t /*value*/, const std::string& text) { unexpected(text); }
  bool binary(json::binary_t& /*value*/) { unexpected("binary data"); }

  bool number_unsigned(json::number_unsigned_t value) {
    constexpr auto kLargestExtent = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (place_ == Place::shape && value <= kLargestExtent) {
      draft_.shape->push_back(static_cast<std::int64_t>(value));
    } else if (place_ == Place::offsets && draft_.offsets->size() < 2) {
      draft_.offsets->push_back(value);
    } else {
      unexpected(std::to_string(value));
    }
    return true;
  }

  bool string(std::string& text) {
    if (place_ == Place::metadata) {
      header_.metadata.emplace(key_, std::move(text));
    } else if (place_ == Place::tensor && key_ == "dtype") {
      draft_.dtype = dtype_named(text);
    } else {
      unexpected("text " + in_quotes(text));
    }
    return true;
  }

  bool start_object(std::size_t /*size*/) {
    if (place_ == Place::start) {
      place_ = Place::file;
    } else if (place_ == Place::file) {
      place_ = name_ == kMetadataName ? Place::metadata : Place::tensor;
    } else {
      unexpected("an object");
    }
    return true;
  }

  bool key(std::string& text) {
    if (place_ == Place::file) {
      name_ = std::move(text);
      if (!names_.insert(name_).second) fail("expected every name once, got " + in_quotes(name_) + " twice");
    } else {
      key_ = std::move(text);
      place_ == Place::metadata ? check_metadata_key() : check_tensor_key();
    }
    return true;
  }

  bool end_object() {
    if (place_ == Place::tensor) finish_tensor();
    place_ = Place::file;
    return true;
  }

  bool start_array(std::size_t /*size*/) {
    if (place_ == Place::tensor && key_ == "shape") {
      place_ = Place::shape;
      draft_.shape.emplace();
    } else if (place_ == Place::tensor && key_ == "data_offsets") {
      place_ = Place::offsets;
      draft_.offsets.emplace();
    } else {
      unexpected("a list");
    }
    return true;
  }

  bool end_array() {
    place_ = Place::tensor;
    return true;
  }

  bool parse_error(std::size_t position, const std::string& last_token, const nlohmann::detail::exception& /*error*/) {
    fail(message("expected JSON in the header, got ", in_quotes(last_token), " at its byte ", position));
  }

 private:
  enum class Place { start, file, metadata, tensor, shape, offsets };

  /// What has come of a tensor so far.
  struct Draft {
    std::optional<DType> dtype;
    std::optional<std::vector<std::int64_t>> shape;
    std::optional<std::vector<std::uint64_t>> offsets;
  };

  [[nodiscard]] std::string tensor() const { return "tensor " + in_quotes(name_); }

  [[nodiscard]] DType dtype_named(std::string_view text) const {
    for (const DType dtype : {DType::f32, DType::f64, DType::i64, DType::u8}) {
      if (name_of(dtype) == text) return dtype;
    }
    fail(message("expected F32, F64, I64 or U8 as dtype of ", tensor(), ", got ", in_quotes(text)));
  }

  void check_metadata_key() const {
    if (!header_.metadata.contains(key_)) return;
    fail("expected every name in the metadata once, got " + in_quotes(key_) + " twice");
  }

  void check_tensor_key() const {
    const bool known = key_ == "dtype" || key_ == "shape" || key_ == "data_offsets";
    if (!known) fail(message("expected dtype, shape and data_offsets of ", tensor(), ", got ", in_quotes(key_)));
    const bool twice = key_ == "dtype"   ? draft_.dtype.has_value()
                       : key_ == "shape" ? draft_.shape.has_value()
                                         : draft_.offsets.has_value();
    if (twice) fail(message("expected ", key_, " of ", tensor(), " once, got it twice"));
  }

  void finish_tensor() {
    if (!draft_.dtype || !draft_.shape || !draft_.offsets) {
      fail(message("expected dtype, shape and data_offsets of ", tensor(), ", got fewer"));
    }
    if (draft_.offsets->size() != 2) {
      fail(message("expected two data_offsets of ", tensor(), ", got ", draft_.offsets->size()));
    }
    header_.tensors.push_back(
        {name_, *draft_.dtype, std::move(*draft_.shape), draft_.offsets->front(), draft_.offsets->back()});
    draft_ = {};
  }

  /// What may come where the parser stands.
  [[nodiscard]] std::string expectation() const {
    switch (place_) {
      case Place::start:
        return "an object as header";
      case Place::file:
        return "an object for " + in_quotes(name_);
      case Place::metadata:
        return "text as metadata " + in_quotes(key_);
      case Place::tensor:
        return (key_ == "dtype" ? "text as dtype of " : "a list as " + key_ + " of ") + tensor();
      case Place::shape:
        return "whole numbers from 0 to 2^63 - 1 in shape of " + tensor();
      case Place::offsets:
        break;
    }
    return "two whole numbers from 0 to 2^64 - 1 as data_offsets of " + tensor();
  }

  [[noreturn]] void unexpected(const std::string& what) const {
    fail(message("expected ", expectation(), ", got ", what));
  }
  [[noreturn]] void fail(const std::string& problem) const { throw FileError({file_}, problem); }

  const std::string& file_;
  TensorHeader header_;
  Place place_ = Place::start;
  std::unordered_set<std::string> names_;
  std::string name_;  ///< of the tensor, or kMetadataName
  std::string key_;   ///< within it
  Draft draft_;
};

void append_quoted(std::string& text, const std::string& word) { text += nlohmann::json(word).dump(); }

void append_metadata(std::string& text, const std::map<std::string, std::string>& metadata) {
  append_quoted(text, std::string(kMetadataName));
  text += ":{";
  for (const auto& [name, value] : metadata) {
    append_quoted(text, name);
    text += ':';
    append_quoted(text, value);
    text += ',';
  }
  text.back() = '}';
}

void append_entry(std::string& text, const TensorEntry& entry) {
  append_quoted(text, entry.name);
  text += R"(:{"dtype":")" + std::string(name_of(entry.dtype)) + R"(","shape":[)";
  for (std::size_t axis = 0; axis < entry.shape.size(); ++axis) {
    if (axis > 0) text += ',';
    text += std::to_string(entry.shape[axis]);
  }
  text += R"(],"data_offsets":[)" + std::to_string(entry.begin) + "," + std::to_string(entry.end) + "]}";
}

}  // namespace

TensorHeader parse_tensor_header(std::string_view text, const std::string& file) {
  if (!is_utf8(text)) throw FileError({file}, "expected a header in UTF-8, got bytes that are not");
  // The parser takes a zero for the end of the text and would ignore what follows.
  if (const std::size_t zero = text.find('\0'); zero != text.npos) {
    throw FileError({file}, message("expected JSON in the header, got a zero at its byte ", zero + 1));
  }
  HeaderEvents events(file);
  (void)nlohmann::json::sax_parse(text.begin(), text.end(), &events);
  return events.taken();
}

std::string tensor_header_text(const TensorHeader& header) {
  std::string text = "{";
  if (!header.metadata.empty()) append_metadata(text, header.metadata);
  for (const TensorEntry& entry : header.tensors) {
    if (text.size() > 1) text += ',';
    append_entry(text, entry);
  }
  return text + '}';
}

}  // namespace diffeo::files
