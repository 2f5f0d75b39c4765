#include "diffeo/files.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "data/file_readings.hpp"
#include "diffeo/random.hpp"
#include "support/temporary_directory.hpp"

namespace diffeo {
namespace files_test {

using testing::kInfinity;
using testing::kMissing;
using testing::reading_of;
using testing::TemporaryDirectory;

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
  const TemporaryDirectory folder;
  write_dataset(folder.file("set" + extension), set);
  return read_dataset(folder.file("set" + extension));
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
  EXPECT_FALSE(reading_of("set.tsv", "\t1\t2\n\t3\t4\n").labeled());
  EXPECT_FALSE(reading_of("set.csv", "label,t0\n,1\n,2\n").labeled());
}

TEST(CsvFiles, HaveTheLabelInTheColumnOfThatName) {
  const Dataset set = reading_of("set.csv", "t0,label,t1\n1,a,2\n3,b,4\n");
  EXPECT_EQ(set.label(1), "b");
  EXPECT_EQ(set.series(1).channel(0)[1], 4.0);
}

TEST(CsvFiles, TakeTheNameOfTheLabelColumnInLettersOfAnyCase) {
  EXPECT_EQ(reading_of("set.csv", "t0,Label,t1\n1,a,2\n3,b,4\n").label(1), "b");
}

TEST(CsvFiles, HaveNoLabelsWhereNoColumnIsCalledSo) {
  for (const char* text : {"kind,x,y\n7,1,2\n8,3,4\n", "7,1,2\n8,3,4\n"}) {
    const Dataset plain = reading_of("set.csv", text);
    EXPECT_EQ(plain.cases(), 2u);
    EXPECT_FALSE(plain.labeled());
    EXPECT_EQ(plain.series(0).channel(0)[0], 7.0);
  }
}

TEST(CsvFiles, WithoutAHeaderHaveTheirLabelsInTheColumnOfText) {
  EXPECT_EQ(reading_of("set.csv", "cat,1,2\ndog,3,4\n").label(1), "dog");
  EXPECT_EQ(reading_of("set.csv", "1,2,cat\n3,4,dog\n").label(1), "dog");
}

TEST(CsvFiles, TakeTheLabelColumnByNameOrNumber) {
  constexpr const char* kText = "id,x,kind\n1,2.5,a\n2,3.5,b\n";
  EXPECT_EQ(reading_of("set.csv", kText, {"kind"}).label(1), "b");
  EXPECT_EQ(reading_of("set.csv", kText, {std::ptrdiff_t{2}}).label(1), "b");
  EXPECT_EQ(reading_of("set.csv", kText, {std::ptrdiff_t{-1}}).label(1), "b");
  const Dataset none = reading_of("set.csv", "1,2\n3,4\n", {NoLabelColumn{}});
  EXPECT_FALSE(none.labeled());
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
  EXPECT_FALSE(reading_of("set.ts", "@classLabel false\n@data\n1,2\n").labeled());
  EXPECT_FALSE(reading_of("set.ts", "@targetlabel false\n@data\n1,2:\n").labeled());  // as aeon writes it
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
  EXPECT_FALSE(reading_of("set.arff", "@attribute a numeric\n@data\n1\n2\n").labeled());
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
    EXPECT_TRUE(set.labeled());
    EXPECT_GE(set.class_names().size(), 2u);
    if (++files % 8 == 1) expect_same(through_file(set, kExtensions[files / 8 % 3]), set);
  }
  EXPECT_GE(files, 2u);
}

}  // namespace files_test
}  // namespace diffeo
