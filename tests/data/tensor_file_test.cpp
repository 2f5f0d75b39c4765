#include "diffeo/tensor_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "diffeo/file_error.hpp"
#include "diffeo/random.hpp"
#include "support/temporary_directory.hpp"

namespace diffeo {
namespace tensor_file_test {

using testing::content_of;
using testing::TemporaryDirectory;

using Shape = std::vector<std::int64_t>;

constexpr int kDamagedFiles = 10000;

// What Python's package safetensors 0.8.0 made of
//   safetensors.numpy.save({"weights": np.array([[1.5, -2.25, np.inf], [0.0, -0.0, 1e-45]], np.float32),
//                           "basis": np.array([1 / 3, -1e300]), "steps": np.array(7, np.int64),
//                           "flags": np.array([1, 2, 255], np.uint8), "empty": np.zeros((0, 4), np.float32)},
//                          metadata={"note": "\u03c6 \"quoted\"\n\t\x01\x7f/"})
constexpr char kReferenceLiteral[] =
    "`\001\0\0\0\0\0\0"
    R"({"__metadata__":{"note":")"
    "\317\206"
    R"( \"quoted\"\n\t\u0001)"
    "\177"
    R"(/"},"steps":{"dtype":"I64","shape":[],"data_offsets":[0,8]},)"
    R"("basis":{"dtype":"F64","shape":[2],"data_offsets":[8,24]},)"
    R"("empty":{"dtype":"F32","shape":[0,4],"data_offsets":[24,24]},)"
    R"("weights":{"dtype":"F32","shape":[2,3],"data_offsets":[24,48]},)"
    R"("flags":{"dtype":"U8","shape":[3],"data_offsets":[48,51]}}   )"
    "\007\0\0\0\0\0\0\0UUUUUU\325?\234u\0\210<\3447\376"
    "\0\0\300?\0\0\020\300\0\0\200\177\0\0\0\0\0\0\0\200\001\0\0\0\001\002\377";
const std::string kReferenceBytes(kReferenceLiteral, sizeof kReferenceLiteral - 1);

TensorFile reference_content() {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  TensorFile file;
  file.tensors = {
      make_tensor("weights", {2, 3}, std::vector{1.5f, -2.25f, kInfinity, 0.0f, -0.0f, 1e-45f}),
      make_tensor("basis", {2}, std::vector{1.0 / 3, -1e300}),
      make_tensor("steps", {}, std::vector<std::int64_t>{7}),
      make_tensor("flags", {3}, std::vector<std::uint8_t>{1, 2, 255}),
      make_tensor("empty", {0, 4}, std::vector<float>{}),
  };
  file.metadata = {{"note", "\u03c6 \"quoted\"\n\t\x01\x7f/"}};
  return file;
}

std::span<const std::byte> bytes_in(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string encoded(const TensorFile& file) {
  const std::vector<std::byte> bytes = encode_tensor_file(file);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TensorFile decoded(std::string_view bytes) { return decode_tensor_file(bytes_in(bytes)); }

TensorFile sorted(TensorFile file) {
  std::sort(file.tensors.begin(), file.tensors.end(),
            [](const NamedTensor& left, const NamedTensor& right) { return left.name < right.name; });
  return file;
}

std::uint64_t header_length(std::string_view bytes) {
  std::uint64_t length = 0;
  for (std::size_t i = 8; i-- > 0;) length = length << 8 | static_cast<unsigned char>(bytes[i]);
  return length;
}

/// The 8 bytes that say how long the header is.
std::string length_bytes(std::uint64_t length) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(static_cast<unsigned char>(length >> (8 * i)));
  return bytes;
}

std::string with_header(std::string_view header, std::size_t data_bytes = 0) {
  return length_bytes(header.size()) + std::string(header) + std::string(data_bytes, '\7');
}

/// The message without the name of the bytes; empty if they are read.
std::string refusal_of(std::string_view bytes) {
  try {
    (void)decode_tensor_file(bytes_in(bytes), "m");
  } catch (const FileError& error) {
    const std::string text = error.what();
    EXPECT_TRUE(text.starts_with("m: ")) << text;
    return text.substr(3);
  }
  return "";
}

std::string complaint_of(const auto& action) {
  try {
    action();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(NamedTensor, GivesBackItsValues) {
  const std::vector<double> values = {1, 0.1, -0.0, 5e-324};
  const NamedTensor tensor = make_tensor("a", {2, 1, 2}, values);
  EXPECT_EQ(tensor.dtype, DType::f64);
  EXPECT_EQ(tensor.shape, (Shape{2, 1, 2}));
  EXPECT_EQ(tensor.values<double>(), values);
  const std::vector<std::int64_t> extremes = {std::numeric_limits<std::int64_t>::min(),
                                              std::numeric_limits<std::int64_t>::max()};
  EXPECT_EQ(make_tensor("b", {2}, extremes).values<std::int64_t>(), extremes);
  EXPECT_EQ(make_tensor("c", {}, std::vector{2.5f}).values<float>(), std::vector{2.5f});
  EXPECT_EQ(make_tensor("d", {5, 0}, std::vector<std::uint8_t>{}).values<std::uint8_t>().size(), 0u);
}

TEST(NamedTensor, HoldsTheLeastSignificantByteFirst) {
  EXPECT_EQ(make_tensor("a", {}, std::vector<std::int64_t>{258}).bytes,
            (std::vector{std::byte{2}, std::byte{1}, std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0},
                         std::byte{0}, std::byte{0}}));
}

TEST(NamedTensor, RefusesValuesThatDoNotFillItsShape) {
  EXPECT_EQ(complaint_of([] {
              (void)make_tensor("a", {2, 3}, std::vector{1.0f});
            }),
            "tensor 'a': expected 24 bytes for F32 of shape [2, 3], got 4");
  EXPECT_EQ(complaint_of([] { (void)make_tensor("a", {-1}, std::vector{1.0f}); }),
            "tensor 'a': expected a number of bytes that can be counted for F32 of shape [-1], got 4");
}

TEST(NamedTensor, RefusesToBeReadAsAnotherType) {
  const NamedTensor tensor = make_tensor("a", {1}, std::vector{1.0f});
  EXPECT_EQ(complaint_of([&] { (void)tensor.values<double>(); }), "tensor 'a': expected F64, got F32");
  NamedTensor shorter = tensor;
  shorter.bytes.pop_back();
  EXPECT_EQ(complaint_of([&] { (void)shorter.values<float>(); }),
            "tensor 'a': expected 4 bytes for F32 of shape [1], got 3");
}

TEST(TensorFile, FindsTensorsByName) {
  const TensorFile file = reference_content();
  ASSERT_NE(file.find("basis"), nullptr);
  EXPECT_EQ(file.find("basis")->shape, Shape{2});
  EXPECT_EQ(file.find("base"), nullptr);
}

TEST(TensorFile, ComesBackToTheBit) {
  TensorFile file = reference_content();
  const std::uint32_t kSignalingNaN = 0x7fa00001;
  file.tensors.push_back(make_tensor("nan", {1}, std::vector{0.0f}));
  std::memcpy(file.tensors.back().bytes.data(), &kSignalingNaN, sizeof kSignalingNaN);
  file.tensors.push_back(make_tensor("", {1, 1, 1, 1}, std::vector{1.0}));
  file.tensors.push_back(make_tensor("\u03c6 \"\\\n", {1}, std::vector{1.0}));
  file.metadata[""] = "";
  file.metadata["json"] = R"({"a": [1, 2, "\u0000"]})";
  file.metadata[std::string("zero\0", 5)] = std::string("\0\x1f\xf0\x9f\x98\x80", 6);
  EXPECT_EQ(sorted(decoded(encoded(file))), sorted(file));

  const TemporaryDirectory folder;
  write_tensor_file(folder.file("a.safetensors"), file);
  EXPECT_EQ(sorted(read_tensor_file(folder.file("a.safetensors"))), sorted(file));
  EXPECT_EQ(content_of(folder.file("a.safetensors")), encoded(file));
  EXPECT_EQ(folder.files(), 1u);
}

TEST(TensorFile, LargerThanABufferComesBack) {
  Random random(1);
  std::vector<double> values(200'001);
  for (double& value : values) value = random.normal();
  const TemporaryDirectory folder;
  write_tensor_file(folder.file("a"), {{make_tensor("a", {200'001}, values)}, {}});
  EXPECT_EQ(read_tensor_file(folder.file("a")).tensors.at(0).values<double>(), values);
}

TEST(TensorFile, OfNothingIsAFile) {
  EXPECT_EQ(encoded({}), with_header("{}      "));
  EXPECT_EQ(decoded(encoded({})), TensorFile{});
}

TEST(TensorFile, OfEqualContentHasEqualBytes) {
  const TensorFile file = reference_content();
  TensorFile other = file;
  std::reverse(other.tensors.begin(), other.tensors.end());
  EXPECT_EQ(encoded(other), encoded(file));
  EXPECT_EQ(encoded(decoded(encoded(file))), encoded(file));
}

TEST(TensorFile, AlignsItsNumbers) {
  const std::string bytes = encoded(reference_content());
  const std::size_t start = 8 + header_length(bytes);
  EXPECT_EQ(start % 8, 0u);
  std::size_t position = start;
  for (const NamedTensor& tensor : decoded(bytes).tensors) {
    EXPECT_EQ(position % size_of(tensor.dtype), 0u) << tensor.name;
    position += tensor.bytes.size();
  }
}

TEST(TensorFile, OfTheReferenceImplementationIsRead) {
  EXPECT_EQ(sorted(decoded(kReferenceBytes)), sorted(reference_content()));
}

TEST(TensorFile, HasTheBytesOfTheReferenceImplementation) { EXPECT_EQ(encoded(reference_content()), kReferenceBytes); }

TEST(TensorFile, MayHaveItsHeaderInAnyOrderWithBlanks) {
  const std::string header = R"({"b" : {"data_offsets":[1,3],
      "shape":[2], "dtype":"U8"}, "__metadata__":{}, "a":{"dtype":"U8","shape":[],"data_offsets":[0,1]}})";
  const TensorFile file = decoded(with_header(header, 3));
  ASSERT_EQ(file.tensors.size(), 2u);
  EXPECT_EQ(file.tensors[0].name, "a");
  EXPECT_EQ(file.tensors[1].values<std::uint8_t>(), (std::vector<std::uint8_t>{7, 7}));
}

TEST(TensorFile, RefusesAnotherKindOfFile) {
  EXPECT_EQ(refusal_of(""),
            "expected a safetensors file, which starts with 8 bytes for the length of its header, got 0 bytes: another "
            "kind of file, or cut short");
  EXPECT_EQ(refusal_of("PK\3\4 and so on"),
            "expected a safetensors file, whose header has 1 to 100000000 bytes, got another kind: it starts with "
            "'PK\\x03\\x04 and', for a length of 7236828441365138256");
  EXPECT_EQ(refusal_of(length_bytes(0) + "{}"),
            "expected a safetensors file, whose header has 1 to 100000000 bytes, got another kind: it starts with "
            "'\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00', for a length of 0");
  EXPECT_EQ(refusal_of(with_header("[1]")),
            "expected a safetensors file, whose header starts with '{', got another kind: '[1]'");
}

TEST(TensorFile, RefusesAHeaderThatIsTooLong) {
  EXPECT_EQ(refusal_of(length_bytes(100) + "{}"), "expected a header of 100 bytes, got 2: the file is cut short");
  EXPECT_EQ(refusal_of(length_bytes(100'000'000) + "{"),
            "expected a header of 100000000 bytes, got 1: the file is cut short");
  EXPECT_NE(refusal_of(length_bytes(100'000'001) + "{").find("for a length of 100000001"), std::string::npos);
  EXPECT_NE(refusal_of(length_bytes(~std::uint64_t{0}) + "{").find("another kind"), std::string::npos);
}

TEST(TensorFile, RefusesAHeaderThatIsNotJson) {
  EXPECT_EQ(refusal_of(with_header("{\"a\":\xff}")), "expected a header in UTF-8, got bytes that are not");
  EXPECT_EQ(refusal_of(with_header("{\"a\" 1}")), "expected JSON in the header, got '1' at its byte 6");
  EXPECT_EQ(refusal_of(with_header("{} {")), "expected JSON in the header, got '{} {' at its byte 4");
  EXPECT_EQ(refusal_of(with_header(std::string_view("{}\0\0", 4))),
            "expected JSON in the header, got a zero at its byte 3");
  EXPECT_NE(refusal_of(with_header(R"({"\ud800":1})")).find("expected JSON"), std::string::npos);
}

struct Refusal {
  std::string header;
  std::string message;
};

class RefusedHeader : public ::testing::TestWithParam<Refusal> {};

TEST_P(RefusedHeader, SaysWhatWasExpected) {
  EXPECT_EQ(refusal_of(with_header(GetParam().header, 8)), GetParam().message);
}

const std::string kFourBytes = R"("a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]})";

INSTANTIATE_TEST_SUITE_P(
    TensorFile, RefusedHeader,
    ::testing::Values(
        Refusal{R"({"a":1})", "expected an object for 'a', got 1"},
        Refusal{R"({"a":[]})", "expected an object for 'a', got a list"},
        Refusal{R"({"a":{}})", "expected dtype, shape and data_offsets of tensor 'a', got fewer"},
        Refusal{R"({"a":{"type":"U8"}})", "expected dtype, shape and data_offsets of tensor 'a', got 'type'"},
        Refusal{R"({"a":{"dtype":"BF16"}})", "expected F32, F64, I64 or U8 as dtype of tensor 'a', got 'BF16'"},
        Refusal{R"({"a":{"dtype":["U8"]}})", "expected text as dtype of tensor 'a', got a list"},
        Refusal{R"({"a":{"dtype":"U8","dtype":"U8"}})", "expected dtype of tensor 'a' once, got it twice"},
        Refusal{R"({"a":{"shape":[],"shape":[]}})", "expected shape of tensor 'a' once, got it twice"},
        Refusal{R"({"a":{"shape":8}})", "expected a list as shape of tensor 'a', got 8"},
        Refusal{R"({"a":{"shape":{}}})", "expected a list as shape of tensor 'a', got an object"},
        Refusal{R"({"a":{"shape":[-1]}})", "expected whole numbers from 0 to 2^63 - 1 in shape of tensor 'a', got -1"},
        Refusal{R"({"a":{"shape":[1.5]}})",
                "expected whole numbers from 0 to 2^63 - 1 in shape of tensor 'a', got 1.5"},
        Refusal{R"({"a":{"shape":[9223372036854775808]}})",
                "expected whole numbers from 0 to 2^63 - 1 in shape of tensor 'a', got 9223372036854775808"},
        Refusal{R"({"a":{"shape":[null]}})",
                "expected whole numbers from 0 to 2^63 - 1 in shape of tensor 'a', got null"},
        Refusal{R"({"a":{"shape":[[1]]}})",
                "expected whole numbers from 0 to 2^63 - 1 in shape of tensor 'a', got a list"},
        Refusal{R"({"a":{"data_offsets":["0"]}})",
                "expected two whole numbers from 0 to 2^64 - 1 as data_offsets of tensor 'a', got text '0'"},
        Refusal{R"({"a":{"data_offsets":[0,18446744073709551616]}})",
                "expected two whole numbers from 0 to 2^64 - 1 as data_offsets of tensor 'a', got "
                "18446744073709551616"},
        Refusal{R"({"a":{"data_offsets":[0,8,8]}})",
                "expected two whole numbers from 0 to 2^64 - 1 as data_offsets of tensor 'a', got 8"},
        Refusal{R"({"a":{"dtype":"U8","shape":[],"data_offsets":[0]}})",
                "expected two data_offsets of tensor 'a', got 1"},
        Refusal{"{" + kFourBytes + "," + kFourBytes + "}", "expected every name once, got 'a' twice"},
        Refusal{R"({"__metadata__":{},"__metadata__":{}})", "expected every name once, got '__metadata__' twice"},
        Refusal{R"({"__metadata__":{"a":"1","a":"1"}})", "expected every name in the metadata once, got 'a' twice"},
        Refusal{R"({"__metadata__":{"a":1}})", "expected text as metadata 'a', got 1"},
        Refusal{R"({"__metadata__":{"a":{}}})", "expected text as metadata 'a', got an object"},
        Refusal{R"({"__metadata__":true})", "expected an object for '__metadata__', got true"},
        Refusal{R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})",
                "expected 12 bytes for F32 of shape [3] in tensor 'a', got data_offsets 0 to 8"},
        Refusal{R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})",
                "expected 8 bytes for F32 of shape [2] in tensor 'a', got data_offsets 8 to 0"},
        Refusal{R"({"a":{"dtype":"F64","shape":[4294967296,4294967296],"data_offsets":[0,0]}})",
                "expected a number of bytes that can be counted for F64 of shape [4294967296, 4294967296] in tensor "
                "'a', got data_offsets 0 to 0"},
        Refusal{R"({"a":{"dtype":"F64","shape":[1099511627776],"data_offsets":[0,8796093022208]}})",
                "expected 8796093022208 bytes of data after the header, got 8: the file is cut short"},
        Refusal{"{" + kFourBytes + R"(,"b":{"dtype":"U8","shape":[5],"data_offsets":[3,8]}})",
                "expected the data of tensor 'b' at 4, got it at 3: the tensors overlap"},
        Refusal{"{" + kFourBytes + R"(,"b":{"dtype":"U8","shape":[3],"data_offsets":[5,8]}})",
                "expected the data of tensor 'b' at 4, got it at 5: the tensors leave a gap"},
        Refusal{"{" + kFourBytes + "}", "expected 4 bytes of data after the header, got 8: something else follows"},
        Refusal{"{}", "expected 0 bytes of data after the header, got 8: something else follows"}));

TEST(TensorFile, RefusesNestingOfAnyDepth) {
  std::string header = R"({"a":)";
  for (int depth = 0; depth < 1'000'000; ++depth) header += R"({"a":)";
  EXPECT_EQ(refusal_of(with_header(header)), "expected dtype, shape and data_offsets of tensor 'a', got 'a'");
  EXPECT_EQ(refusal_of(with_header(R"({"a":)" + std::string(1'000'000, '['))),
            "expected an object for 'a', got a list");
}

TEST(TensorFile, CutAnywhereIsRefused) {
  const TemporaryDirectory folder;
  for (std::size_t size = 0; size < kReferenceBytes.size(); ++size) {
    EXPECT_NE(refusal_of(kReferenceBytes.substr(0, size)), "") << size;
    EXPECT_THROW((void)read_tensor_file(folder.file("cut", kReferenceBytes.substr(0, size))), FileError) << size;
  }
  EXPECT_NE(refusal_of(kReferenceBytes + "x"), "");
}

/// Reads what may be damaged: refused, or a file that is whole and comes back.
bool is_read(const std::string& bytes) {
  try {
    const TensorFile file = decoded(bytes);
    std::size_t size = 8 + header_length(bytes);
    for (const NamedTensor& tensor : file.tensors) size += tensor.bytes.size();
    EXPECT_EQ(size, bytes.size());
    EXPECT_EQ(sorted(decoded(encoded(file))), sorted(file));
    return true;
  } catch (const FileError& error) {
    EXPECT_GT(std::string_view(error.what()).size(), std::string_view("memory: ").size());
    return false;
  }
}

TEST(TensorFile, WithAChangedByteIsReadOrRefused) {
  constexpr std::uint64_t kSeed = 21;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  int read = 0;
  for (int trial = 0; trial < kDamagedFiles && !HasFailure(); ++trial) {
    std::string bytes = kReferenceBytes;
    char& changed = bytes[random.below(bytes.size())];
    changed = static_cast<char>(changed ^ static_cast<char>(1 + random.below(255)));
    if (is_read(bytes)) ++read;
  }
  EXPECT_GT(read, kDamagedFiles / 20);  // data, names and notes may change: more than an eighth of the bytes
  EXPECT_LT(read, kDamagedFiles / 2);
}

TEST(TensorFile, WithAHeaderWrittenOverIsReadOrRefused) {
  constexpr std::uint64_t kSeed = 22;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  const std::size_t length = header_length(kReferenceBytes);
  const std::vector<std::string> likely = {"{",
                                           "}",
                                           "[",
                                           "]",
                                           ",",
                                           ":",
                                           "\"",
                                           "0",
                                           "9",
                                           "-",
                                           "e",
                                           "\\",
                                           "\\u",
                                           " ",
                                           "null",
                                           "\"a\":",
                                           "{}",
                                           "[]",
                                           "18446744073709551615",
                                           "F64",
                                           "\xcf"};
  for (int trial = 0; trial < kDamagedFiles && !HasFailure(); ++trial) {
    std::string header = kReferenceBytes.substr(8, length);
    for (std::uint64_t change = 0; change <= random.below(3); ++change) {
      header.replace(random.below(header.size()), random.below(4), likely[random.below(likely.size())]);
    }
    (void)is_read(length_bytes(header.size()) + header + kReferenceBytes.substr(8 + length));
  }
}

TEST(TensorFile, OfNoiseIsRefused) {
  constexpr std::uint64_t kSeed = 23;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  for (int trial = 0; trial < 1000; ++trial) {
    std::string noise(random.below(300), '\0');
    for (char& letter : noise) letter = static_cast<char>(random.below(256));
    EXPECT_FALSE(is_read(noise));
  }
}

TEST(WriteTensorFile, RefusesWhatTheFormatCannotHoldAndLeavesWhatWasThere) {
  const TemporaryDirectory folder;
  const std::filesystem::path path = folder.file("a", "before");
  const auto complaint = [&](const TensorFile& file) { return complaint_of([&] { write_tensor_file(path, file); }); };
  const NamedTensor good = make_tensor("a", {1}, std::vector{1.0f});
  EXPECT_EQ(complaint({{good, good}, {}}), "tensors: expected every name once, got 'a' twice");
  NamedTensor bad = good;
  bad.name = "__metadata__";
  EXPECT_EQ(complaint({{bad}, {}}), "name of a tensor: expected any but __metadata__, got it");
  bad.name = "\xff";
  EXPECT_EQ(complaint({{bad}, {}}), "name of a tensor: expected UTF-8, got '\\xff'");
  bad = good;
  bad.shape = {2};
  EXPECT_EQ(complaint({{bad}, {}}), "tensor 'a': expected 8 bytes for F32 of shape [2], got 4");
  EXPECT_EQ(complaint({{}, {{"\xff", ""}}}), "name in the metadata: expected UTF-8, got '\\xff'");
  EXPECT_EQ(complaint({{}, {{"a", "\xed\xa0\x80"}}}), "text in the metadata: expected UTF-8, got '\\xed\\xa0\\x80'");
  EXPECT_EQ(content_of(path), "before");
  EXPECT_EQ(folder.files(), 1u);
}

TEST(WriteTensorFile, RefusesAHeaderThatNoReaderWouldTake) {
  const TensorFile file{{}, {{"a", std::string(100'000'000, 'x')}}};
  EXPECT_EQ(complaint_of([&] { (void)encode_tensor_file(file); }),
            "names, shapes and metadata: expected at most 100000000 bytes in all as JSON, got 100000032");
}

TEST(ReadTensorFile, NamesTheFile) {
  const TemporaryDirectory folder;
  const std::filesystem::path path = folder.file("foreign.safetensors", "This is a text, not a model.\n");
  try {
    (void)read_tensor_file(path);
    FAIL() << "expected an error";
  } catch (const FileError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with(path.string() + ": expected a safetensors file")) << error.what();
  }
  try {
    (void)read_tensor_file(folder.file("missing"));
    FAIL() << "expected an error";
  } catch (const FileAccessError& error) {
    EXPECT_EQ(error.error_number(), ENOENT);
  }
  EXPECT_THROW((void)read_tensor_file(folder.path()), FileAccessError);
}

// --- digests ---------------------------------------------------------------------------------------------------------

std::string digest_problem(const TensorFile& file) {
  try {
    require_digest(file, "x");
  } catch (const FileError& problem) {
    return problem.what();
  }
  return "";
}

TEST(TensorDigest, IsSha256OfWhatTheFileHolds) {
  TensorFile file;
  add_digest(file);
  // SHA-256 of eight zero bytes: no tensors
  EXPECT_EQ(file.metadata.at("digest"), "sha256:af5570f5a1810b7af78caf4bc70a660f0df51e42baf91d4de5b2328de0e83dfc");
  file.metadata["note"] = "text";
  EXPECT_EQ(digest_problem(file), "x: expected content that fits its digest, got another: the file is damaged");
  add_digest(file);
  EXPECT_EQ(digest_problem(file), "");
}

TEST(TensorDigest, ChangesWithEverythingButTheOrderOfTensors) {
  TensorFile file;
  const std::vector<float> values = {1.0F, 2.0F};
  file.tensors.push_back(make_tensor("a", {2}, std::span<const float>(values)));
  file.tensors.push_back(make_tensor("b", {1, 2}, std::span<const float>(values)));
  file.metadata["note"] = "text";
  add_digest(file);
  TensorFile other = file;
  std::swap(other.tensors[0], other.tensors[1]);
  EXPECT_EQ(digest_problem(other), "");
  const auto changed = [&](const auto& change) {
    TensorFile copy = file;
    change(copy);
    return !digest_problem(copy).empty();
  };
  EXPECT_TRUE(changed([](TensorFile& copy) { copy.tensors[0].name = "c"; }));
  EXPECT_TRUE(changed([](TensorFile& copy) { copy.tensors[0].shape = {2, 1}; }));
  EXPECT_TRUE(changed([](TensorFile& copy) { copy.tensors[0].dtype = DType::f64; }));
  EXPECT_TRUE(changed([](TensorFile& copy) { copy.tensors[0].bytes[0] ^= std::byte{1}; }));
  EXPECT_TRUE(changed([](TensorFile& copy) { copy.tensors.pop_back(); }));
  EXPECT_TRUE(changed([](TensorFile& copy) { copy.metadata["note"] = "Text"; }));
  EXPECT_TRUE(changed([](TensorFile& copy) { copy.metadata["more"] = ""; }));
  EXPECT_TRUE(changed([](TensorFile& copy) { copy.metadata.erase("digest"); }));
}

TEST(TensorDigest, OfAnotherKindIsSaid) {
  TensorFile file;
  EXPECT_EQ(digest_problem(file), "x: expected a digest that starts with sha256:, got none");
  file.metadata["digest"] = "0123456789abcdef";
  EXPECT_EQ(digest_problem(file), "x: expected a digest that starts with sha256:, got '0123456789abcdef'");
}

}  // namespace tensor_file_test
}  // namespace diffeo
