// What diffeo/files.hpp refuses to read and to write, and what it leaves behind.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "data/file_readings.hpp"
#include "diffeo/file_error.hpp"
#include "diffeo/files.hpp"
#include "diffeo/series_stream.hpp"
#include "support/temporary_directory.hpp"

namespace diffeo {
namespace refused_files_test {

using testing::content_of;
using testing::kMissing;
using testing::reading_of;
using testing::refusal;
using testing::refusal_of;
using testing::TemporaryDirectory;

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
      {"x.csv", "t0,t1,kind\n1,2,a\n",
       "x.csv:2:3: expected numbers in the column 'kind', got 'a'; for labels say label 'kind' (--label), else choose "
       "the columns with values (--columns)"},
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

TEST(Files, OfOtherFormsThanTablesHaveNoChoiceOfLabel) {
  EXPECT_THROW((void)reading_of("x.ts", "@data\n1\n", {"label"}), std::invalid_argument);
}

TEST(Files, ThatCannotBeOpenedAreRefusedWithWhatTheSystemSays) {
  const TemporaryDirectory folder;
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
  const TemporaryDirectory folder;
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
  const TemporaryDirectory folder;
  const std::filesystem::path path = folder.file("x.tsv", "old\t1\n");
  Dataset wrong;
  for (int item = 0; item < 20'000; ++item) wrong.add_case(std::vector{1.0, 2.0, 3.0});  // more than the buffer holds
  wrong.add_case(std::vector{1.0, kMissing, kMissing});
  EXPECT_THROW(write_dataset(path, wrong), FileError);
  EXPECT_EQ(content_of(path), "old\t1\n");
  EXPECT_EQ(folder.files(), 1u);
}

TEST(Files, ThatExistedAreReplacedWithTheirPermissions) {
  const TemporaryDirectory folder;
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

TEST(Files, OfProcessesThatWereKilledWhileWritingAreRemoved) {
  const TemporaryDirectory folder;
  (void)folder.file("x.tsv.partial-0", "half of a fi");
  Dataset set;
  set.add_case(std::vector{2.0}, "new");
  write_dataset(folder.file("x.tsv"), set);
  EXPECT_EQ(content_of(folder.file("x.tsv")), "new\t2\n");
  EXPECT_EQ(folder.files(), 1u);
}

TEST(Files, OfProcessesThatStillWriteStay) {
  const TemporaryDirectory folder;
  Dataset set;
  set.add_case(std::vector{2.0}, "first");
  SeriesWriter first(folder.file("x.tsv"), outline_of(set));
  first.write(set);
  Dataset other;
  other.add_case(std::vector{3.0}, "second");
  write_dataset(folder.file("x.tsv"), other);
  EXPECT_EQ(content_of(folder.file("x.tsv")), "second\t3\n");
  EXPECT_EQ(folder.files(), 2u);
  first.finish();
  EXPECT_EQ(content_of(folder.file("x.tsv")), "first\t2\n");
  EXPECT_EQ(folder.files(), 1u);
}

TEST(Files, WrittenBesideDoNotFollowALinkThatSomebodyLeft) {
  const TemporaryDirectory folder;
  const std::filesystem::path mine = folder.file("mine", "mine");
  std::filesystem::create_symlink(mine, folder.file("x.tsv.partial-0"));
  Dataset set;
  set.add_case(std::vector{2.0}, "new");
  write_dataset(folder.file("x.tsv"), set);
  EXPECT_EQ(content_of(mine), "mine");
  EXPECT_FALSE(std::filesystem::is_symlink(folder.file("x.tsv")));
}

TEST(Files, BehindALinkAreReplacedAndTheLinkStays) {
  const TemporaryDirectory folder;
  const std::filesystem::path path = folder.file("x.tsv", "old\t1\n");
  std::filesystem::create_symlink(path, folder.file("link.tsv"));
  Dataset set;
  set.add_case(std::vector{2.0}, "new");
  write_dataset(folder.file("link.tsv"), set);
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link.tsv")));
  EXPECT_EQ(content_of(path), "new\t2\n");
}

TEST(Files, CannotBeWrittenWhereThereIsNoFolderOrNoRight) {
  const TemporaryDirectory folder;
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

}  // namespace refused_files_test
}  // namespace diffeo
