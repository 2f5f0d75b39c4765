// Tables of text as people have them: read as they are meant, or refused with the words that settle it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "data/file_readings.hpp"
#include "diffeo/error.hpp"
#include "diffeo/files.hpp"
#include "support/temporary_directory.hpp"

namespace diffeo {
namespace tables_test {

using testing::reading_of;
using testing::refusal_of;

/// "label: 1 2; 3 4" for each case, channels after semicolons.
std::string shown(const Dataset& set) {
  std::string text;
  for (std::size_t item = 0; item < set.cases(); ++item) {
    if (item > 0) text += " | ";
    if (set.labeled()) text += set.label(item) + ": ";
    for (std::size_t channel = 0; channel < set.channels(); ++channel) {
      if (channel > 0) text += "; ";
      for (std::size_t time = 0; time < set.length(item); ++time) {
        text += message(time == 0 ? "" : " ", set.series(item).channel(channel)[time]);
      }
    }
  }
  return text;
}

struct Table {
  std::string name;
  std::string text;
  std::string expected;
  ReadOptions options = {};
};

ReadOptions asked(TableOptions table, LabelColumn label = UsualLabelColumn{}) {
  ReadOptions options;
  options.label = std::move(label);
  options.table = std::move(table);
  return options;
}

TEST(Tables, AreReadAsTheyAreMeant) {
  const std::vector<Table> tables = {
      {"labels.csv", "label,t0,t1\na,1,2\nb,3,4\n", "a: 1 2 | b: 3 4"},
      {"class.csv", "t0,t1,Class\n1,2,a\n3,4,b\n", "a: 1 2 | b: 3 4"},
      {"target.csv", "target,t0,t1\n1,1.5,2\n0,3,4\n", "1: 1.5 2 | 0: 3 4"},
      {"y.csv", "t0,t1,y\n1,2,0\n3,4,1\n", "0: 1 2 | 1: 3 4"},
      {"x_y_z.csv", "x,y,z\n1,2,3\n4,5,6\n", "1 2 3 | 4 5 6"},
      {"numbers.csv", "0.5,1.5,2.5\n3.5,4.5,5.5\n", "0.5 1.5 2.5 | 3.5 4.5 5.5"},
      {"whole_numbers.csv", "7,1,2\n8,3,4\n", "7 1 2 | 8 3 4"},
      {"names_only.csv", "t0,t1,t2\n1,2,3\n4,5,6\n", "1 2 3 | 4 5 6"},
      {"semicolons.csv", "label;t0;t1\na;1.5;2\nb;3;4\n", "a: 1.5 2 | b: 3 4"},
      {"german.csv", "label;t0;t1\na;1,5;2\nb;3;4,25\n", "a: 1.5 2 | b: 3 4.25"},
      {"german_quotes.csv", "label,t0,t1\na,\"1,5\",\"2\"\nb,\"3,0\",\"-4,25e1\"\n", "a: 1.5 2 | b: 3 -42.5"},
      {"tabs.csv", "label\tt0\tt1\na\t1\t2\n", "a: 1 2"},
      {"bars.csv", "label|t0|t1\na|1|2\n", "a: 1 2"},
      {"quotes.csv", "\"label\",\"t0\",\"t1\"\r\n\"a, b\",\"1\",\"2\"\r\n", "a, b: 1 2"},
      {"mark.csv", "\xEF\xBB\xBFlabel;t0\na;1,5\n", "a: 1.5"},
      {"missing.csv", "label,t0,t1,t2,t3,t4\na,NA,NaN,null,,5\nb,None,n/a,<NA>,?,6\n",
       "a: nan nan nan nan 5 | b: nan nan nan nan 6"},
      {"pandas_index.csv", ",t0,t1,label\n0,1,2,a\n1,3,4,b\n", "a: 1 2 | b: 3 4"},
      {"pandas_numbers.csv", ",0,1,2\n0,1.5,2,3\n1,4,5,6\n", "1.5 2 3 | 4 5 6"},
      {"pandas_no_index.csv", "0,1,2\n1.5,2,3\n4,5,6\n", "1.5 2 3 | 4 5 6"},
      {"pandas_twice.csv", "Unnamed: 0,t0,t1\n0,1,2\n1,3,4\n", "1 2 | 3 4"},
      {"pandas_names.csv", ",t0,t1\nfirst,1,2\nsecond,3,4\n", "1 2 | 3 4"},
      {"id.csv", "id,t0,t1\n17,1,2\n18,3,4\n", "1 2 | 3 4"},
      {"dates_in_header.csv", "label,2024-01-01,2024-01-02\na,1,2\n", "a: 1 2"},
      {"text_first.csv", "cat,1,2\ndog,3,4\n", "cat: 1 2 | dog: 3 4"},
      {"text_last.csv", "1,2,cat\n3,4,dog\n", "cat: 1 2 | dog: 3 4"},
      {"padding.csv", "label,t0,t1,t2\na,1,,\nb,1,2,3\n", "a: 1 | b: 1 2 3"},
      {"long.csv", "id,time,value\na,0,1\na,1,2\nb,0,3\nb,1,4\nb,2,5\n", "1 2 | 3 4 5"},
      {"long_labels.csv", "id,time,value,label\na,0,1,up\na,1,2,up\nb,0,3,down\nb,1,4,down\n", "up: 1 2 | down: 3 4"},
      {"long_channels.csv", "case;t;x;y\na;0,5;1;10\na;1,0;2;20\nb;0,5;3;30\n", "1 2; 10 20 | 3; 30"},
      {"long_dates.csv", "unique_id,ds,y\na,2024-02-28,1\na,2024-02-29,2\na,2024-03-01,3\nb,2024-01-01T00:30:00Z,4\n",
       "1 2 3 | 4"},
      {"long_index.csv", ",id,time,value\n0,a,0,1\n1,a,1,NA\n2,b,0,3\n", "1 nan | 3"},
      {"archive.tsv", "1\t1.5\t2\tNaN\n2\t3\t4\t5\n", "1: 1.5 2 | 2: 3 4 5"},
      {"header.tsv", "t0\tt1\tclass\n1\t2\ta\n3\t4\tb\n", "a: 1 2 | b: 3 4"},
      {"long.tsv", "id\ttime\tvalue\na\t0\t1\na\t1\t2\n", "1 2"},
  };
  for (const auto& [name, text, expected, options] : tables) {
    EXPECT_EQ(shown(reading_of(name, text, options)), expected) << name;
  }
}

TEST(Tables, AreReadAsAskedFor) {
  const std::vector<Table> tables = {
      {"label_by_number.csv", "1,0.5,1.5\n2,2.5,3.5\n", "1: 0.5 1.5 | 2: 2.5 3.5", asked({}, std::ptrdiff_t{0})},
      {"label_as_text.csv", "1,0.5,1.5\n2,2.5,3.5\n", "1: 0.5 1.5 | 2: 2.5 3.5", asked({}, std::string("0"))},
      {"no_label.csv", "1,0.5,1.5\n2,2.5,3.5\n", "1 0.5 1.5 | 2 2.5 3.5", asked({}, NoLabelColumn{})},
      {"label_by_name.csv", "kind,t0,t1\na,1,2\n", "a: 1 2", asked({}, std::string("kind"))},
      {"columns.csv", "age,t0,t1,t2\n40,1,2,3\n", "1 3", asked({.columns = {"t0", "t2"}})},
      {"column_range.csv", "age,t0,t1,t2\n40,1,2,3\n", "1 2 3", asked({.columns = {"t0:t2"}})},
      {"column_numbers.csv", "40,1,2,3\n", "1 2", asked({.columns = {"1:2"}})},
      {"delimiter.csv", "1 2 3\n4 5 6\n", "1 2 3 | 4 5 6", asked({.delimiter = ' '}, NoLabelColumn{})},
      {"decimal.csv", "1;2,5;3\n4;5;6\n", "1 2.5 3 | 4 5 6", asked({.decimal = ','}, NoLabelColumn{})},
      {"header.csv", "0,1,2\n3,4,5\n", "3 4 5", asked({.header = true})},
      {"no_header.csv", "0,1,2\n3.5,4,5\n", "0 1 2 | 3.5 4 5", asked({.header = false})},
      {"long.csv", "who,when,what\na,0,1\na,1,2\nb,0,3\n", "1 2 | 3",
       asked({.id = "who", .time = "when", .value = "what"})},
      {"numbers_asked_for.csv", "1;a;0,5;1,5\n2;b;1,0;2,5\n", "a: 0.5 1.5 | b: 1 2.5",
       asked({.columns = {"2:3"}}, std::string("1"))},
      {"labels.tsv", "a\t1\t2\nb\t3\t4\n", "a: 1 2 | b: 3 4", asked({}, std::ptrdiff_t{0})},
  };
  for (const auto& [name, text, expected, options] : tables) {
    EXPECT_EQ(shown(reading_of(name, text, options)), expected) << name;
  }
}

TEST(Tables, ThatCouldBeReadInTwoWaysAreRefused) {
  const std::vector<Table> tables = {
      {"x.csv", "1,0.5,1.5\n2,2.5,3.5\n",
       "x.csv: column 0 alone has whole numbers, which may be labels: say label 0 (--label 0) if they are, or that "
       "there "
       "are no labels (--no-label, label=False)"},
      {"x.csv", "0.5,1.5,1\n2.5,3.5,2\n",
       "x.csv: column 2 alone has whole numbers, which may be labels: say label 2 (--label 2) if they are, or that "
       "there "
       "are no labels (--no-label, label=False)"},
      {"x.tsv", "1\tnonsense\n", "x.tsv:1:2: expected a number, got 'nonsense'"},
      {"x.csv", "label,class,t0\na,b,1\n",
       "x.csv:1: columns 'label' and 'class' may both be the label; say which with label (--label)"},
      {"x.csv", "sex,t0,t1,t2\n1,2,3,4\n",
       "x.csv:1:1: expected a time step like the other columns, got 'sex'; for labels say label 'sex' (--label), else "
       "choose the columns with values (--columns)"},
      {"x.csv", "time,value\n0,1\n1,2\n",
       "x.csv:1: the rows are times, and no column says of which case; say which with id (--id), or put a case in each "
       "row"},
      {"x.csv", "value\n1\n2\n3\n",
       "x.csv:1: expected a case in every row, got one column: is it one case, with a row for each time step? Put it "
       "in one row"},
      {"x.csv", "a;1,5;2.5\n",
       "x.csv: expected one decimal sign, got '1,5' and '2.5'; say which with decimal (--decimal)"},
      {"x.csv", "label;t0\na;1.234,5\n",
       "x.csv:2:2: expected numbers in the column 't0', got '1.234,5'; for labels say label 't0' (--label), else "
       "choose "
       "the columns with values (--columns)"},
      {"x.csv", "id,time,value\na,0,1\na,1,2\na,5,3\n",
       "x.csv:2: expected equally spaced times in case 'a', got others; resample the series to equal steps first"},
      {"x.csv", "id,time,value\na,0,1\nb,0,2\na,1,3\n",
       "x.csv:4: expected the rows of case 'a' together, got more of them later"},
      {"x.csv", "id,time,value\na,1,1\na,0,2\n",
       "x.csv:3: expected ascending times in case 'a', got an earlier one, or the same again"},
      {"x.csv", "id,time,value\na,noon,1\n",
       "x.csv:2:2: expected a time, a number or a date as 2024-05-31 12:30:00, got 'noon'"},
      {"x.csv", "id,time,value,label\na,0,1,up\na,1,1,down\n",
       "x.csv:3: expected the label 'up' as in the other rows of case 'a', got 'down'"},
  };
  for (const auto& [name, text, expected, options] : tables) {
    EXPECT_EQ(refusal_of(name, text, options), expected) << text;
  }
}

TEST(Tables, SayHowTheyAreRead) {
  std::string told;
  ReadOptions options;
  options.told = [&told](const std::string& how) { told = how; };
  (void)reading_of("x.csv", "id;class;t0;t1\n1;a;1,5;2\n", options);
  EXPECT_EQ(
      told,
      "semicolons between fields, decimal commas, a header, cases named in column 'id', labels in column 'class', "
      "a row per case, 2 values");
  (void)reading_of("x.csv", "id,time,value\na,0,1\n", options);
  EXPECT_EQ(told,
            "commas between fields, a header, cases named in column 'id', times in column 'time', no labels, a row per "
            "time step, 1 channel");
}

TEST(Files, ThatAreCompressedAreRead) {
  // printf 'label,t0,t1\na,1,2\n' | gzip -n
  constexpr unsigned char kBytes[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0xcb, 0x49, 0x4c,
                                      0x4a, 0xcd, 0xd1, 0x29, 0x31, 0xd0, 0x29, 0x31, 0xe4, 0x4a, 0xd4, 0x31, 0xd4,
                                      0x31, 0xe2, 0x02, 0x00, 0xb4, 0x52, 0x3d, 0x81, 0x12, 0x00, 0x00, 0x00};
  const std::string bytes(reinterpret_cast<const char*>(kBytes), sizeof kBytes);
  EXPECT_EQ(shown(reading_of("x.csv.gz", bytes)), "a: 1 2");
  EXPECT_EQ(refusal_of("x.csv.gz", std::string_view(bytes).substr(0, bytes.size() - 9)),
            "x.csv.gz: expected a file compressed by gzip, got one that is cut short or damaged");
  EXPECT_EQ(refusal_of("x.csv.gz", "label,t0\na,1\n"), "x.csv.gz: expected a file compressed by gzip, got another");
  EXPECT_EQ(refusal_of("x.gz", bytes),
            "x.gz: expected one of the extensions .tsv, .csv, .ts, .arff, .npy, .npz, got nothing");
  const testing::TemporaryDirectory folder;
  EXPECT_THROW(write_dataset(folder.file("x.csv.gz"), reading_of("x.csv.gz", bytes)), FileError);
  EXPECT_EQ(folder.files(), 0u);
}

}  // namespace tables_test
}  // namespace diffeo
