#include "diffeo/files.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "data/temporary_folder.hpp"
#include "diffeo/file_error.hpp"
#include "diffeo/random.hpp"

namespace diffeo {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSmallest = std::numeric_limits<double>::denorm_min();

const std::vector<std::string> kExtensions = {".tsv", ".csv", ".ts", ".arff", ".npy", ".npz"};

/// Equal bit for bit, except that in text one NaN is like another.
void expect_same_values(const Dataset& left, const Dataset& right, bool nan_bits = false) {
  ASSERT_EQ(left.cases(), right.cases());
  ASSERT_EQ(left.channels(), right.channels());
  for (std::size_t item = 0; item < left.cases(); ++item) ASSERT_EQ(left.length(item), right.length(item)) << item;
  for (std::size_t i = 0; i < left.values().size(); ++i) {
    if (!nan_bits && std::isnan(left.values()[i]) && std::isnan(right.values()[i])) continue;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(left.values()[i]), std::bit_cast<std::uint64_t>(right.values()[i])) << i;
  }
}

void expect_same(const Dataset& left, const Dataset& right) {
  expect_same_values(left, right);
  EXPECT_EQ(left.class_names(), right.class_names());
  EXPECT_EQ(std::vector(left.labels().begin(), left.labels().end()),
            std::vector(right.labels().begin(), right.labels().end()));
}

Dataset through_file(const Dataset& set, const std::string& extension) {
  const TemporaryFolder folder;
  write_dataset(folder.file("set" + extension), set);
  return read_dataset(folder.file("set" + extension));
}

std::string refusal(const auto& action) {
  try {
    action();
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

/// The refusal of that content, with the file's name alone before it.
std::string refusal_of(const std::string& name, std::string_view content, const ReadOptions& options = {}) {
  const TemporaryFolder folder;
  const std::string text = refusal([&] { (void)read_dataset(folder.file(name, content), options); });
  return text.empty() ? "" : text.substr(folder.path().string().size() + 1);
}

Dataset reading_of(const std::string& name, std::string_view content, const ReadOptions& options = {}) {
  const TemporaryFolder folder;
  return read_dataset(folder.file(name, content), options);
}

Dataset special_values() {
  Dataset set;
  set.add_case(std::vector{0.0, -0.0, 0.1, 1.0 / 3.0, kInfinity});
  set.add_case(std::vector{kMissing, -kInfinity, kSmallest, -kSmallest, 2.2250738585072011e-308});
  set.add_case(std::vector{1.7976931348623157e308, 5e-324, 1e22, 1e23, -123456789.125});
  return set;
}

// --- round trips -----------------------------------------------------------------------------------------------------

TEST(Files, KeepEveryBitInEveryForm) {
  for (const std::string& extension : kExtensions) {
    SCOPED_TRACE(extension);
    expect_same(through_file(special_values(), extension), special_values());
  }
}

TEST(Files, KeepRandomBitsInEveryForm) {
  constexpr std::uint64_t kSeed = 5;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  Dataset set;
  for (int item = 0; item < 40; ++item) {
    std::vector<double> values(100);
    for (double& value : values) value = std::bit_cast<double>(random.bits());
    values.back() = random.normal();  // .tsv cannot end in a NaN
    set.add_case(values);
  }
  for (const std::string& extension : kExtensions) {
    SCOPED_TRACE(extension);
    expect_same_values(through_file(set, extension), set, extension.starts_with(".np"));
  }
}

TEST(Files, KeepLabelsInEveryFormThatHasThem) {
  Dataset set = special_values();
  set.set_labels(std::vector<std::string>{"-1", "é", "-1"});
  for (const std::string& extension : kExtensions) {
    SCOPED_TRACE(extension);
    if (extension != ".npy") expect_same(through_file(set, extension), set);
  }
}

TEST(Files, KeepLabelsThatNeedQuotes) {
  Dataset set = special_values();
  set.set_labels(std::vector<std::string>{"a, \"b\"", " it's\\ ", "{c} % 'd'"});
  for (const char* extension : {".tsv", ".csv", ".arff", ".npz"}) {
    SCOPED_TRACE(extension);
    expect_same(through_file(set, extension), set);
  }
  set.set_labels(std::vector<std::string>{"two\nlines", "two\r\nlines", "\"\""});
  for (const char* extension : {".csv", ".npz"}) {
    SCOPED_TRACE(extension);
    expect_same(through_file(set, extension), set);
  }
}

TEST(Files, KeepClassesThatNoCaseHasWhereTheFormDeclaresThem) {
  Dataset set = special_values();
  set.set_labels({2, 0, 2}, {"c", "b", "a"});
  for (const char* extension : {".ts", ".arff", ".npz"}) {
    SCOPED_TRACE(extension);
    expect_same(through_file(set, extension), set);
  }
}

TEST(Files, KeepChannels) {
  Dataset set(3);
  set.add_case(std::vector{1.0, 2.0, kMissing, 4.0, 5.0, 6.5}, "x");
  set.add_case(std::vector{-1.0, -2.0, -3.0, -4.0, kMissing, kMissing}, "y");
  for (const char* extension : {".ts", ".arff", ".npz"}) {
    SCOPED_TRACE(extension);
    expect_same(through_file(set, extension), set);
  }
}

TEST(Files, KeepDifferentLengths) {
  Dataset set;
  set.add_case(std::vector{1.0}, "x");
  set.add_case(std::vector{-1.0, kMissing, -3.0}, "y");
  for (const char* extension : {".tsv", ".csv", ".ts", ".npz"}) {
    SCOPED_TRACE(extension);
    expect_same(through_file(set, extension), set);
  }
}

TEST(Files, KeepDifferentLengthsThatEndInMissingValues) {
  Dataset set;
  set.add_case(std::vector{1.0, kMissing}, "x");
  set.add_case(std::vector{-1.0, 2.0, 3.0, kMissing}, "y");
  set.add_case(std::vector{kMissing}, "y");
  for (const char* extension : {".csv", ".ts", ".npz"}) {
    SCOPED_TRACE(extension);
    expect_same(through_file(set, extension), set);
  }
}

TEST(Files, KeepDifferentLengthsOfSeveralChannels) {
  Dataset set(2);
  set.add_case(std::vector{1.0, 2.0, 3.0, 4.0});
  set.add_case(std::vector{5.0, kMissing});
  for (const char* extension : {".ts", ".npz"}) {
    SCOPED_TRACE(extension);
    expect_same(through_file(set, extension), set);
  }
}

TEST(Files, MayBeLongerThanTheBuffer) {
  constexpr std::size_t kLength = 70'000;  // more than a megabyte of text in one line
  Random random(3);
  Dataset set;
  for (int item = 0; item < 3; ++item) {
    std::vector<double> values(kLength);
    for (double& value : values) value = random.normal();
    set.add_case(values, item == 1 ? "b" : "a");
  }
  for (const char* extension : {".tsv", ".csv", ".ts", ".arff", ".npz"}) {
    SCOPED_TRACE(extension);
    expect_same(through_file(set, extension), set);
  }
}

// --- what the forms allow --------------------------------------------------------------------------------------------

TEST(Files, OfTheArchiveHaveTheLabelFirstAndNanAsPadding) {
  const Dataset set = reading_of("set.tsv", "1\t1.5\tNaN\t3\r\n-1\t2\tNaN\tnan\r\n\r\n1\t1\t2\t3");
  EXPECT_EQ(set.class_names(), (std::vector<std::string>{"1", "-1"}));
  EXPECT_EQ(set.length(0), 3u);
  EXPECT_TRUE(std::isnan(set.series(0).data[1]));
  EXPECT_EQ(set.length(1), 1u);
  EXPECT_EQ(set.length(2), 3u);
}

TEST(Files, MayStartWithAByteOrderMark) {
  EXPECT_EQ(reading_of("set.tsv",
                       "\xEF\xBB\xBF"
                       "a\t1\n")
                .label(0),
            "a");
  EXPECT_EQ(reading_of("set.csv", "\xEF\xBB\xBFlabel,x\na,1\n").label(0), "a");
}

TEST(Files, WithAnEmptyLabelColumnHaveNoLabels) {
  EXPECT_FALSE(reading_of("set.tsv", "\t1\t2\n\t3\t4\n").labelled());
  EXPECT_FALSE(reading_of("set.csv", "label,t0\n,1\n,2\n").labelled());
}

TEST(CsvFiles, HaveTheLabelInTheColumnOfThatName) {
  const Dataset set = reading_of("set.csv", "t0,label,t1\n1,a,2\n3,b,4\n");
  EXPECT_EQ(set.label(1), "b");
  EXPECT_EQ(set.series(1).channel(0)[1], 4.0);
}

TEST(CsvFiles, TakeTheNameOfTheLabelColumnInLettersOfAnyCase) {
  EXPECT_EQ(reading_of("set.csv", "t0,Label,t1\n1,a,2\n3,b,4\n").label(1), "b");
}

TEST(CsvFiles, HaveTheLabelFirstOtherwise) {
  EXPECT_EQ(reading_of("set.csv", "kind,x,y\n7,1,2\n").label(0), "7");
  const Dataset plain = reading_of("set.csv", "7,1,2\n8,3,4\n");
  EXPECT_EQ(plain.cases(), 2u);
  EXPECT_EQ(plain.label(0), "7");
  EXPECT_EQ(reading_of("set.csv", "cat,1,2\ndog,3,4\n").cases(), 2u);
}

TEST(CsvFiles, TakeTheLabelColumnByNameOrNumber) {
  constexpr const char* kText = "id,x,kind\n1,2.5,a\n2,3.5,b\n";
  EXPECT_EQ(reading_of("set.csv", kText, {"kind"}).label(1), "b");
  EXPECT_EQ(reading_of("set.csv", kText, {std::ptrdiff_t{2}}).label(1), "b");
  EXPECT_EQ(reading_of("set.csv", kText, {std::ptrdiff_t{-1}}).label(1), "b");
  const Dataset none = reading_of("set.csv", "1,2\n3,4\n", {NoLabelColumn{}});
  EXPECT_FALSE(none.labelled());
  EXPECT_EQ(none.length(0), 2u);
}

TEST(CsvFiles, KnowAHeaderWhoseNamesAreNumbersByItsLabel) {
  const Dataset set = reading_of("set.csv", "label,0,1\na,5,6\n");
  EXPECT_EQ(set.cases(), 1u);
  EXPECT_EQ(set.series(0).channel(0)[0], 5.0);
}

TEST(CsvFiles, HaveQuotedFieldsBlanksAndMissingValues) {
  const Dataset set = reading_of("set.csv", "\"say \"\"hi\"\", twice\",\"1.5\", 2 ,,?,NaN,7\r\nb,1,2,3,4,,\r\n");
  EXPECT_EQ(set.label(0), "say \"hi\", twice");
  ASSERT_EQ(set.length(0), 6u);
  EXPECT_EQ(set.series(0).data[0], 1.5);
  EXPECT_EQ(set.series(0).data[1], 2.0);
  for (const std::size_t missing : {2u, 3u, 4u}) EXPECT_TRUE(std::isnan(set.series(0).data[missing]));
  EXPECT_EQ(set.length(1), 4u);
}

TEST(TsFiles, HaveTheHeaderOfAeon) {
  const Dataset set = reading_of("set.ts",
                                 "# a remark\n@problemName Test\n@timeStamps false\n@MISSING true\n@univariate false\n"
                                 "@dimensions 2\n@equalLength false\n@classLabel true up down\n@data\n"
                                 "1,2,3:4,?,6:up\n# another\n\n 7 , 8 : 9 , NaN : down \n");
  EXPECT_EQ(set.channels(), 2u);
  EXPECT_EQ(set.class_names(), (std::vector<std::string>{"up", "down"}));
  EXPECT_EQ(set.length(1), 2u);
  EXPECT_EQ(set.label(1), "down");
  EXPECT_TRUE(std::isnan(set.series(0).channel(1)[1]));
  EXPECT_EQ(set.series(1).channel(0)[1], 8.0);
}

TEST(TsFiles, CountChannelsWhereTheHeaderDoesNot) {
  const Dataset set = reading_of("set.ts", "@classLabel true 1 2\n@data\n1,2:3,4:2\n5,6:7,8:1\n");
  EXPECT_EQ(set.channels(), 2u);
  EXPECT_EQ(set.label(0), "2");
}

TEST(TsFiles, MayHaveNumbersAsTargetsOrNoLabels) {
  EXPECT_EQ(reading_of("set.ts", "@targetlabel true\n@data\n1,2:0.75\n").label(0), "0.75");
  EXPECT_FALSE(reading_of("set.ts", "@classLabel false\n@data\n1,2\n").labelled());
  EXPECT_FALSE(reading_of("set.ts", "@targetlabel false\n@data\n1,2:\n").labelled());  // as aeon writes it
}

TEST(ArffFiles, HaveAttributesAndANominalClass) {
  const Dataset set = reading_of("set.arff",
                                 "% a remark\n@RELATION 'a set'\n\n@ATTRIBUTE 't 0' NUMERIC\n@attribute t1 real\n"
                                 "@Attribute class {yes, 'not so' ,3}\n@DATA\n1,2,yes\n% remark\n ?,4, 'not so'\n");
  EXPECT_EQ(set.class_names(), (std::vector<std::string>{"yes", "not so", "3"}));
  EXPECT_EQ(set.label(1), "not so");
  EXPECT_TRUE(std::isnan(set.series(1).data[0]));
}

TEST(ArffFiles, HaveChannelsInARelationalAttribute) {
  const Dataset set =
      reading_of("set.arff",
                 "@relation r\n@attribute a relational\n @attribute t0 numeric\n @attribute t1 numeric\n"
                 "@end a\n@attribute class {1,2}\n@data\n'1,2\\n3,4',2\r\n\"5,?\\n7,8\",1\n");
  EXPECT_EQ(set.channels(), 2u);
  EXPECT_EQ(set.label(0), "2");
  EXPECT_EQ(set.series(0).channel(1)[0], 3.0);
  EXPECT_TRUE(std::isnan(set.series(1).channel(0)[1]));
}

TEST(ArffFiles, MayHaveNumbersAsTargetsOrNoLabels) {
  EXPECT_FALSE(reading_of("set.arff", "@attribute a numeric\n@data\n1\n2\n").labelled());
  EXPECT_EQ(
      reading_of("set.arff",
                 "@attribute a relational\n@attribute t numeric\n@end a\n@attribute y numeric\n@data\n'1\\n2',0.5\n")
          .label(0),
      "0.5");
}

TEST(Files, OfNumPyHaveBothByteOrdersAndBothMemoryOrders) {
  const std::string header = "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }\n";
  std::string bytes = "\x93NUMPY";
  bytes += {1, 0, static_cast<char>(header.size()), 0};
  bytes += header;
  for (const int value : {1, -2, 3, -4, 5, -300}) {
    bytes += {static_cast<char>(value >> 8), static_cast<char>(value & 255)};
  }
  const Dataset set = reading_of("set.npy", bytes);
  EXPECT_EQ(std::vector(set.values().begin(), set.values().end()), (std::vector<double>{1, 3, 5, -2, -4, -300}));
}

// --- refusals --------------------------------------------------------------------------------------------------------

TEST(Files, ThatAreBrokenAreRefusedWithPlaceExpectationAndFinding) {
  const std::string ts = "@classLabel true a b\n@data\n";
  const std::string arff = "@attribute t0 numeric\n@attribute t1 numeric\n@attribute c {a,b}\n@data\n";
  const std::string relational =
      "@attribute r relational\n@attribute t0 numeric\n@attribute t1 numeric\n@end r\n"
      "@attribute c {a,b}\n@data\n";
  const std::vector<std::array<std::string, 3>> cases = {
      {"x.tsv", "", "x.tsv: expected series, got an empty file"},
      {"x.tsv", "\n\n", "x.tsv: expected at least one series, got none"},
      {"x.tsv", "a\t1\t2\nb\t1\n", "x.tsv:2: expected 2 values as in line 1, got 1 (pad shorter series with NaN)"},
      {"x.tsv", "a\t1\n\nb\t1\t2\n", "x.tsv:3: expected 1 values as in line 1, got 2 (pad shorter series with NaN)"},
      {"x.tsv", "a\t1\tx7\n", "x.tsv:1:3: expected a number, got 'x7'"},
      {"x.tsv", "a\t1\t\t2\n", "x.tsv:1:3: expected a number, got nothing"},
      {"x.tsv", "a\t1\t2\n3\n", "x.tsv:2: expected a label and values with tabs between, got '3'"},
      {"x.tsv", "a\t1 2\n", "x.tsv:1:2: expected a number, got '1 2'"},
      {"x.tsv", "a\tNaN\tNaN\n", "x.tsv:1: expected at least one value before the padding, got none"},
      {"x.tsv", "a\t1\n\t2\n", "x.tsv:2: expected a label as in the lines before, got nothing"},
      {"x.tsv", "\t1\na\t2\n", "x.tsv:2: expected no label as in the lines before, got 'a'"},
      {"x.tsv", "\xFF\t1\n", "x.tsv:1: expected a label in UTF-8, got '\\xff'"},
      {"x.tsv", std::string("a\t\0\1\n", 5), "x.tsv:1:2: expected a number, got '\\x00\\x01'"},
      {"x.csv", "", "x.csv: expected series, got an empty file"},
      {"x.csv", "label,t0\n", "x.csv: expected at least one series, got none"},
      {"x.csv", "t0,t1,class\n1,2,a\n",
       "x.csv:2:3: expected a number, got 'a'; labels stand in the column named label, or in the first"},
      {"x.csv", "a,1,2\nb,3\n", "x.csv:2: expected 3 fields as in the first line, got 2"},
      {"x.csv", "a,1,2\nb,3,4,5\n", "x.csv:2: expected 3 fields as in the first line, got 4"},
      {"x.csv", "a,1,2\nb,3,four\n", "x.csv:2:3: expected a number, got 'four'"},
      {"x.csv", "a,1,two\n", "x.csv:1:3: expected a number, got 'two'"},
      {"x.csv", "a,1\n\"b,2\n", "x.csv:2:1: expected a closing quote, got the end of the file"},
      {"x.csv", "a,1\n\"b\"c,2\n", "x.csv:2:1: expected a comma after the closing quote, got 'c'"},
      {"x.csv", "a,1\nb,\n", "x.csv:2: expected at least one value, got none"},
      {"x.csv", "a,1\n,2\n", "x.csv:2: expected a label as in the lines before, got nothing"},
      {"x.ts", "", "x.ts: expected series, got an empty file"},
      {"x.ts", "@classLabel false\n", "x.ts:1: expected @data after the header, got the end of the file"},
      {"x.ts", "1,2\n", "x.ts:1: expected a tag such as @data, got '1,2'"},
      {"x.ts", "@data\n1:a\n",
       "x.ts:1: expected @classLabel or @targetLabel, true or false, before @data, got neither"},
      {"x.ts", "@timestamps true\n", "x.ts:1:2: expected series without time stamps, @timestamps false, got true"},
      {"x.ts", "@univariate maybe\n", "x.ts:1:2: expected true or false after @univariate, got 'maybe'"},
      {"x.ts", "@dimensions two\n", "x.ts:1:2: expected a count of at least 1 after @dimensions, got 'two'"},
      {"x.ts", "@seriesLength 0\n", "x.ts:1:2: expected a count of at least 1 after @seriesLength, got '0'"},
      {"x.ts", "@classLabel true\n", "x.ts:1: expected the classes after @classLabel true, got none"},
      {"x.ts", "@univariate true\n@dimensions 2\n" + ts + "1:2:a\n",
       "x.ts:4: expected one dimension as @univariate true says, got @dimensions 2"},
      {"x.ts", ts, "x.ts: expected at least one series, got none"},
      {"x.ts", ts + "1,2:c\n", "x.ts:3: expected one of the classes of line 1, got 'c'"},
      {"x.ts", ts + "1,2:\n", "x.ts:3: expected a label at the end, got nothing"},
      {"x.ts", ts + "1,2\n", "x.ts:3: expected a colon and a label at the end, got neither"},
      {"x.ts", ts + "1,x:a\n", "x.ts:3:2: expected a number, got 'x'"},
      {"x.ts", ts + "x,1:a\n", "x.ts:3:1: expected a number, got 'x'"},
      {"x.ts", ts + "1,2:a\n1:b\n",
       "x.ts:4: expected 2 values as in line 3, got 1 (for different lengths: @equalLength false)"},
      {"x.ts", "@seriesLength 3\n" + ts + "1,2:a\n",
       "x.ts:4: expected 3 values as @seriesLength says, got 2 (for different lengths: @equalLength false)"},
      {"x.ts", ts + "1,2:3:a\n", "x.ts:3: expected 2 values in channel 2 as in the first channel, got 1"},
      {"x.ts", "@dimensions 3\n" + ts + "1,2:3,4:a\n", "x.ts:4: expected 3 channels with colons between, got 2"},
      {"x.ts", "@univariate true\n" + ts + "1,2:3,4:a\n", "x.ts:4: expected 1 channels with colons between, got 2"},
      {"x.ts", ts + "1,2:3,4:a\n1,2:a\n", "x.ts:4: expected 2 channels with colons between, got 1"},
      {"x.arff", "", "x.arff: expected series, got an empty file"},
      {"x.arff", "@relation r\n", "x.arff:1: expected @data after the attributes, got the end of the file"},
      {"x.arff", "hello\n", "x.arff:1: expected @relation, @attribute, @end or @data, got 'hello'"},
      {"x.arff", "@data\n1\n", "x.arff:1: expected numeric attributes before @data, got none"},
      {"x.arff", "@attribute t\n", "x.arff:1: expected more after 't', got the end of the line"},
      {"x.arff", "@attribute t date\n",
       "x.arff:1: expected an attribute that is numeric, relational, string or {nominal}, got 'date'"},
      {"x.arff", "@attribute 't numeric\n", "x.arff:1: expected a closing quote, got the end of the line"},
      {"x.arff", "@attribute c {a,b\n", "x.arff:1: expected more after 'b', got the end of the line"},
      {"x.arff", "@attribute c {'a' b}\n", "x.arff:1: expected a comma or } after a class, got 'b'"},
      {"x.arff", "@end r\n", "x.arff:1: expected a relational attribute before @end, got none"},
      {"x.arff", arff + "1,2\n", "x.arff:5: expected 3 fields, one per attribute, got 2"},
      {"x.arff", arff + "1,2,a,4\n", "x.arff:5: expected 3 fields, one per attribute, got more"},
      {"x.arff", arff + "1,x,a\n", "x.arff:5:2: expected a number, got 'x'"},
      {"x.arff", arff + "1,2,c\n", "x.arff:5:3: expected one of the classes of line 3, got 'c'"},
      {"x.arff", arff + "1,2,?\n", "x.arff:5:3: expected a label, got '?'"},
      {"x.arff", arff + "1,2,'a\n", "x.arff:5: expected a closing quote after the label, got the end of the line"},
      {"x.arff", arff + "{0 1}\n", "x.arff:5:1: expected values with commas between, got a sparse case"},
      {"x.arff", arff, "x.arff: expected at least one series, got none"},
      {"x.arff", relational + "1,2,a\n", "x.arff:7:1: expected a quote before the channels, got '1'"},
      {"x.arff", relational + "'1,2\\n3',a\n", "x.arff:7: expected 2 values in channel 2, one per attribute, got 1"},
      {"x.arff", relational + "'1,2\\n3,4'\n",
       "x.arff:7: expected a comma and a label after the channels, got neither"},
      {"x.arff", relational + "'1,2\\n3,4\n", "x.arff:7: expected a closing quote after the channels, got another end"},
      {"x.arff", relational + "'1,2\\n3,4',a\n'1,2',b\n", "x.arff:8: expected 2 channels as in the first case, got 1"},
      {"x.npy", "", "x.npy: expected 8 more bytes, got 0: the file is cut short"},
      {"x.npy", "not an array at all", "x.npy: expected a NumPy array of version 1, 2 or 3, got 'not an a'"},
      {"x.npz", "", "x.npz: expected an .npz archive, got a file without a directory: no archive, or cut short"},
      {"x.npz", "PK not an archive, only as long as one",
       "x.npz: expected an .npz archive, got a file without a directory: no archive, or cut short"},
      {"x.txt", "1", "x.txt: expected one of the extensions .tsv, .csv, .ts, .arff, .npy, .npz, got '.txt'"},
      {"x", "1", "x: expected one of the extensions .tsv, .csv, .ts, .arff, .npy, .npz, got nothing"},
  };
  for (const auto& [name, content, expected] : cases) EXPECT_EQ(refusal_of(name, content), expected) << content;
}

TEST(Files, OfNumPyThatAreBrokenAreRefused) {
  const auto npy = [](const std::string& header, std::size_t data) {
    std::string bytes = "\x93NUMPY";
    bytes += {1, 0, static_cast<char>(header.size()), 0};
    return bytes + header + std::string(data, '\0');
  };
  const std::vector<std::array<std::string, 2>> cases = {
      {npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", 40),
       "x.npy: expected 48 bytes for shape (2, 3) of elements of 8 bytes, got 40"},
      {npy("{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", 24),
       "x.npy: expected shape (cases, time) or (cases, channels, time), at least one of each, got (3,)"},
      {npy("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3), }", 0),
       "x.npy: expected shape (cases, time) or (cases, channels, time), at least one of each, got (0, 3)"},
      {npy("{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999, 9999999999), }", 8),
       "x.npy: expected more bytes than there can be for shape (9999999999, 9999999999) of elements of 8 bytes, got 8"},
      {npy("{'descr': '|O', 'fortran_order': False, 'shape': (2, 3), }", 48),
       "x.npy: expected numbers or text, got pickled Python objects"},
      {npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2, 3), }", 48),
       "x.npy: expected elements of one type, got a structure"},
      {npy("{'descr': '<c16', 'fortran_order': False, 'shape': (2, 3), }", 96),
       "x.npy: expected floats, integers, truth values or text, got type '<c16'"},
      {npy("{'descr': '<U1', 'fortran_order': False, 'shape': (2, 3), }", 24), "x.npy: expected numbers, got text"},
      {npy("{'descr': '<f8', 'shape': (2, 3), }", 48),
       "x.npy: expected descr, fortran_order and shape in the header, got fewer"},
      {npy("{'descr': '<f8', 'fortran_order': Perhaps", 48),
       "x.npy: expected True or False in the header, got 'Perha'"},
      {npy("[]", 0), "x.npy: expected { in the header, got '[]'"},
  };
  for (const auto& [content, expected] : cases) EXPECT_EQ(refusal_of("x.npy", content), expected);
}

TEST(CsvFiles, WithoutTheColumnAskedForAreRefused) {
  EXPECT_EQ(refusal_of("x.csv", "a,b\n1,2\n", {"kind"}),
            "x.csv:1: expected a header with a column named 'kind', got 'a', 'b'");
  EXPECT_EQ(refusal_of("x.csv", "a,b\n1,2\n", {std::ptrdiff_t{2}}),
            "x.csv:1: expected a label column 2, got 2 columns");
  EXPECT_EQ(refusal_of("x.csv", "a,b\n1,2\n", {std::ptrdiff_t{-3}}),
            "x.csv:1: expected a label column -3, got 2 columns");
}

TEST(Files, OfOtherFormsThanCsvHaveNoChoiceOfLabel) {
  EXPECT_THROW((void)reading_of("x.tsv", "a\t1\n", {"label"}), std::invalid_argument);
}

TEST(Files, ThatCannotBeOpenedAreRefusedWithWhatTheSystemSays) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("folder.ts"));
  for (const auto& [name, number] : {std::pair{"none.tsv", ENOENT}, {"folder.ts", EISDIR}, {"none/none.npz", ENOENT}}) {
    try {
      (void)read_dataset(folder.file(name));
      ADD_FAILURE() << name;
    } catch (const FileAccessError& error) {
      EXPECT_EQ(error.error_number(), number) << name;
      EXPECT_EQ(error.place().file, folder.file(name).string());
    }
  }
}

TEST(Files, RefuseToDropWhatTheyCannotHold) {
  const TemporaryFolder folder;
  const auto writing = [&](const char* name, const Dataset& set) {
    const std::string text = refusal([&] { write_dataset(folder.file(name), set); });
    return text.empty() ? "" : text.substr(folder.path().string().size() + 1);
  };
  Dataset channels(2);
  channels.add_case(std::vector{1.0, 2.0});
  Dataset ends_missing;
  ends_missing.add_case(std::vector{1.0, 2.0});
  ends_missing.add_case(std::vector{1.0, kMissing});
  Dataset lengths;
  lengths.add_case(std::vector{1.0, 2.0});
  lengths.add_case(std::vector{1.0});
  Dataset labels;
  labels.add_case(std::vector{1.0}, "a\tb: c");
  Dataset unnamed;
  unnamed.add_case(std::vector{1.0}, "");

  EXPECT_EQ(writing("x.tsv", channels),
            "x.tsv: expected one channel, got 2, which this form cannot hold; write .ts or .npz instead");
  EXPECT_EQ(writing("x.csv", channels),
            "x.csv: expected one channel, got 2, which this form cannot hold; write .ts or .npz instead");
  EXPECT_EQ(writing("x.tsv", ends_missing),
            "x.tsv: case 1 ends in a missing value, which .tsv would read as padding; write .ts or .npz instead");
  EXPECT_EQ(writing("x.arff", lengths), "x.arff: expected series of one length, got 1 to 2; write .ts or .npz instead");
  EXPECT_EQ(writing("x.npy", lengths), "x.npy: expected series of one length, got 1 to 2; write .ts or .npz instead");
  EXPECT_EQ(writing("x.npy", labels),
            "x.npy: expected series without labels, which .npy has no place for, got labels; write .npz instead");
  EXPECT_EQ(writing("x.tsv", labels),
            "x.tsv: expected labels without tabs and line ends, got 'a\\x09b: c'; write .npz instead");
  EXPECT_EQ(writing("x.ts", labels),
            "x.ts: expected labels without blanks, commas and colons, got 'a\\x09b: c'; write .arff or .npz instead");
  for (const char* name : {"x.tsv", "x.csv"}) {
    EXPECT_EQ(writing(name, unnamed), std::string(name) +
                                          ": expected labels that are not empty, got an empty one for "
                                          "case 0; write .npz instead");
  }
  EXPECT_THROW(write_dataset(folder.file("x.txt"), lengths), FileError);
  EXPECT_THROW(write_dataset(folder.file("x.npz"), Dataset()), std::invalid_argument);
  EXPECT_EQ(folder.files(), 0u);
}

// --- writing beside --------------------------------------------------------------------------------------------------

TEST(Files, ThatExistedStayWhenWritingFails) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.file("x.tsv", "old\t1\n");
  Dataset wrong;
  for (int item = 0; item < 20'000; ++item) wrong.add_case(std::vector{1.0, 2.0, 3.0});  // more than the buffer holds
  wrong.add_case(std::vector{1.0, kMissing, kMissing});
  EXPECT_THROW(write_dataset(path, wrong), FileError);
  EXPECT_EQ(content_of(path), "old\t1\n");
  EXPECT_EQ(folder.files(), 1u);
}

TEST(Files, ThatExistedAreReplacedWithTheirPermissions) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.file("x.tsv", "old\t1\n");
  chmod(path.c_str(), 0640);
  Dataset set;
  set.add_case(std::vector{2.0}, "new");
  write_dataset(path, set);
  EXPECT_EQ(content_of(path), "new\t2\n");
  EXPECT_EQ(folder.files(), 1u);
  struct stat status;
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST(Files, BehindALinkAreReplacedAndTheLinkStays) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.file("x.tsv", "old\t1\n");
  std::filesystem::create_symlink(path, folder.file("link.tsv"));
  Dataset set;
  set.add_case(std::vector{2.0}, "new");
  write_dataset(folder.file("link.tsv"), set);
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link.tsv")));
  EXPECT_EQ(content_of(path), "new\t2\n");
}

TEST(Files, CannotBeWrittenWhereThereIsNoFolderOrNoRight) {
  const TemporaryFolder folder;
  Dataset set;
  set.add_case(std::vector{2.0});
  const auto error_number = [&](const std::filesystem::path& path) {
    try {
      write_dataset(path, set);
    } catch (const FileAccessError& error) {
      return error.error_number();
    }
    return 0;
  };
  EXPECT_EQ(error_number(folder.file("none/x.tsv")), ENOENT);
  std::filesystem::create_directory(folder.file("folder.tsv"));
  EXPECT_EQ(error_number(folder.file("folder.tsv")), EISDIR);
  std::filesystem::create_directory(folder.file("locked"));
  std::filesystem::permissions(folder.file("locked"), std::filesystem::perms::owner_read);
  if (geteuid() == 0) {
    std::printf("not tested: the superuser may write to any folder\n");
  } else {
    EXPECT_EQ(error_number(folder.file("locked/x.tsv")), EACCES);
  }
}

// --- real files ------------------------------------------------------------------------------------------------------

TEST(Files, OfTheArchiveAreReadAndWrittenInEveryForm) {
  const char* const shared = std::getenv("DIFFEO_SHARED");
  const std::filesystem::path archive =
      std::filesystem::path(shared == nullptr ? DIFFEO_SHARED_DIRECTORY : shared) / "ucr";
  if (!std::filesystem::is_directory(archive)) GTEST_SKIP() << "no shared data: DIFFEO_SHARED names no folder with ucr";
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(archive)) {
    if (entry.path().extension() != ".tsv") continue;
    SCOPED_TRACE(entry.path().string());
    const Dataset set = read_dataset(entry.path());
    EXPECT_TRUE(set.labelled());
    EXPECT_GE(set.class_names().size(), 2u);
    if (++files % 8 == 1) expect_same(through_file(set, kExtensions[files / 8 % 3]), set);
  }
  EXPECT_GE(files, 2u);
}

}  // namespace
}  // namespace diffeo
