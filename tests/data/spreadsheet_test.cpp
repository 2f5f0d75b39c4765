#include "data/spreadsheet.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "diffeo/files.hpp"
#include "support/temporary_directory.hpp"

namespace diffeo {
namespace spreadsheet_test {

using files::label_from_spreadsheet;
using files::text_for_spreadsheet;

TEST(Spreadsheets, GetFormulasAsText) {
  EXPECT_EQ(text_for_spreadsheet("=1+1"), "'=1+1");
  EXPECT_EQ(text_for_spreadsheet("@name"), "'@name");
  EXPECT_EQ(text_for_spreadsheet("-x"), "'-x");
  EXPECT_EQ(text_for_spreadsheet("+x"), "'+x");
  EXPECT_EQ(text_for_spreadsheet("\t=1"), "'\t=1");
}

TEST(Spreadsheets, GetOtherLabelsAsTheyAre) {
  for (const char* label : {"", "a", "1", "-1", "+1.5e3", "-inf", "a=b", "'", "'quoted'", "''"}) {
    EXPECT_EQ(text_for_spreadsheet(label), label);
    EXPECT_EQ(label_from_spreadsheet(label), label);
  }
}

TEST(Spreadsheets, GiveEveryLabelBack) {
  for (const char* label : {"=1+1", "'=1+1", "''=1+1", "-", "--", "'-1", "-1", "'@", "\r=", "'x", "=\"a\",b"}) {
    EXPECT_EQ(label_from_spreadsheet(text_for_spreadsheet(label)), label);
  }
}

TEST(Spreadsheets, AreWrittenAndReadByCsv) {
  const testing::TemporaryDirectory folder;
  Dataset set;
  set.add_case(std::vector{1.0}, "=HYPERLINK(\"a\",1)");
  set.add_case(std::vector{2.0}, "-1");
  write_dataset(folder.file("set.csv"), set);
  EXPECT_EQ(testing::content_of(folder.file("set.csv")), "label,t0\n\"'=HYPERLINK(\"\"a\"\",1)\",1\n-1,2\n");
  EXPECT_EQ(read_dataset(folder.file("set.csv")).class_names(), set.class_names());
}

}  // namespace spreadsheet_test
}  // namespace diffeo
