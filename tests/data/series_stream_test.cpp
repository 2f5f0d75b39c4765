#include "diffeo/series_stream.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "diffeo/file_error.hpp"
#include "diffeo/random.hpp"
#include "support/temporary_directory.hpp"

namespace diffeo {
namespace series_stream_test {

using testing::content_of;
using testing::TemporaryDirectory;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kCases = 23;
constexpr PartSize kSmallParts{4, 60};

struct Kind {
  bool labeled;
  std::size_t channels;
  bool ragged;
};

/// What every form can hold, as far as asked.
Dataset series_of(const Kind& kind) {
  Random random(11);
  Dataset set(kind.channels);
  for (std::size_t item = 0; item < kCases; ++item) {
    const std::size_t length = kind.ragged ? 5 + item % 7 : 9;
    std::vector<double> values(kind.channels * length);
    for (double& value : values) value = random.normal();
    values[1] = item % 5 == 0 ? kMissing : values[1];
    // The second class comes late, so that it is not known from the start.
    kind.labeled ? set.add_case(values, item < 15 ? "early" : "late") : set.add_case(values);
  }
  return set;
}

Kind kind_for(const std::string& format) {
  return {format != "npy", format == "tsv" || format == "csv" ? 1u : 2u, format != "npy" && format != "arff"};
}

void expect_same(const Dataset& came, const Dataset& expected) {
  ASSERT_EQ(came.cases(), expected.cases());
  ASSERT_EQ(came.channels(), expected.channels());
  ASSERT_EQ(came.values().size(), expected.values().size());
  EXPECT_EQ(std::memcmp(came.values().data(), expected.values().data(), came.values().size_bytes()), 0);
  for (std::size_t item = 0; item < came.cases(); ++item) {
    EXPECT_EQ(came.length(item), expected.length(item));
    if (expected.labeled()) {
      EXPECT_EQ(came.label(item), expected.label(item));
    }
  }
  EXPECT_EQ(came.class_names(), expected.class_names());
}

/// All parts put together; class numbers must mean the same in each.
Dataset put_together(SeriesReader& reader, const PartSize& size, std::size_t& parts) {
  Dataset all;
  parts = 0;
  while (const std::optional<Dataset> part = reader.next(size)) {
    if (parts++ == 0) all = Dataset(part->channels());
    EXPECT_LE(part->cases(), size.cases);
    for (std::size_t item = 0; item < part->cases(); ++item) {
      const auto values = part->series(item).values();
      part->labeled() ? all.add_case(values, part->label(item)) : all.add_case(values);
    }
  }
  return all;
}

/// Somebody who writes the bytes into a pipe of that name.
class Feeder {
 public:
  Feeder(const std::filesystem::path& pipe, std::string bytes) {
    if (mkfifo(pipe.c_str(), 0600) != 0) throw std::runtime_error("no pipe");
    thread_ = std::jthread([pipe, bytes = std::move(bytes)] { std::ofstream(pipe, std::ios::binary) << bytes; });
  }

 private:
  std::jthread thread_;
};

class EveryFormat : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryFormat, GivesTheSameSeriesInPartsAsAtOnce) {
  const TemporaryDirectory folder;
  const std::filesystem::path path = folder.file("series." + GetParam());
  write_dataset(path, series_of(kind_for(GetParam())));
  const Dataset expected = read_dataset(path);
  for (const PartSize& size : {kSmallParts, PartSize{1, 1}, PartSize{1000, 50}, PartSize{}}) {
    SeriesReader reader(path);
    std::size_t parts = 0;
    expect_same(put_together(reader, size, parts), expected);
    EXPECT_EQ(parts == 1, size.cases >= kCases && size.values > expected.values().size()) << parts;
    EXPECT_FALSE(reader.next().has_value());
  }
}

TEST_P(EveryFormat, GivesTheRestAfterSomeParts) {
  const TemporaryDirectory folder;
  const std::filesystem::path path = folder.file("series." + GetParam());
  write_dataset(path, series_of(kind_for(GetParam())));
  SeriesReader reader(path);
  const std::size_t first = reader.next(kSmallParts)->cases();
  const Dataset rest = reader.rest();
  ASSERT_EQ(first + rest.cases(), kCases);
  const Dataset whole = read_dataset(path);
  for (std::size_t item = 0; item < rest.cases(); ++item) {
    EXPECT_EQ(rest.series(item).values()[0], whole.series(first + item).values()[0]);
  }
}

TEST_P(EveryFormat, IsWrittenInPartsToTheSameBytesAsAtOnce) {
  const TemporaryDirectory folder;
  const Dataset set = series_of(kind_for(GetParam()));
  write_dataset(folder.file("series." + GetParam()), set);
  std::filesystem::create_directory(folder.file("parts"));  // some forms have the name of the file in them
  const std::filesystem::path in_parts = folder.path() / "parts" / ("series." + GetParam());
  SeriesWriter writer(in_parts, outline_of(set));
  for (std::size_t first = 0; first < set.cases(); first += 5) {
    std::vector<std::size_t> items;
    for (std::size_t item = first; item < std::min(first + 5, set.cases()); ++item) items.push_back(item);
    writer.write(set.subset(items));
  }
  EXPECT_FALSE(std::filesystem::exists(in_parts));
  writer.finish();
  EXPECT_EQ(content_of(in_parts), content_of(folder.file("series." + GetParam())));
}

TEST_P(EveryFormat, IsReadFromAPipe) {
  const TemporaryDirectory folder;
  const std::filesystem::path path = folder.file("series." + GetParam());
  write_dataset(path, series_of(kind_for(GetParam())));
  const Feeder feeder(folder.file("pipe"), content_of(path));
  ReadOptions options;
  options.format = GetParam();
  SeriesReader reader(folder.file("pipe"), options);
  std::size_t parts = 0;
  expect_same(put_together(reader, kSmallParts, parts), read_dataset(path));
  EXPECT_GT(parts, 1u);
}

TEST_P(EveryFormat, HasAnOutline) {
  const TemporaryDirectory folder;
  const std::filesystem::path path = folder.file("series." + GetParam());
  const Dataset set = series_of(kind_for(GetParam()));
  write_dataset(path, set);
  const SeriesOutline outline = outline_of(path);
  EXPECT_EQ(outline.cases, kCases);
  EXPECT_EQ(outline.channels, set.channels());
  EXPECT_EQ(outline.shortest, set.shortest());
  EXPECT_EQ(outline.longest, set.longest());
  EXPECT_EQ(outline.values, set.values().size());
  EXPECT_EQ(outline.missing, 5u);
  EXPECT_EQ(outline.labeled, set.labeled());
  EXPECT_EQ(outline.class_names, set.class_names());
  EXPECT_EQ(outline.class_cases, set.labeled() ? (std::vector<std::size_t>{15, 8}) : std::vector<std::size_t>{});
  EXPECT_LT(outline.least, -1.0);
  EXPECT_GT(outline.greatest, 1.0);
}

TEST_P(EveryFormat, HasAnOutlineAndThenTheSeriesEvenFromAPipe) {
  const TemporaryDirectory folder;
  const std::filesystem::path path = folder.file("series." + GetParam());
  write_dataset(path, series_of(kind_for(GetParam())));
  SeriesReader from_file(path);
  EXPECT_TRUE(from_file.can_be_read_again());
  EXPECT_EQ(from_file.outline().cases, kCases);
  expect_same(from_file.rest(), read_dataset(path));
  const Feeder feeder(folder.file("pipe"), content_of(path));
  ReadOptions options;
  options.format = GetParam();
  SeriesReader from_pipe(folder.file("pipe"), options);
  EXPECT_FALSE(from_pipe.can_be_read_again());
  EXPECT_EQ(from_pipe.outline().cases, kCases);
  expect_same(from_pipe.rest(), read_dataset(path));
}

TEST_P(EveryFormat, LeavesNothingWithoutFinish) {
  const TemporaryDirectory folder;
  const Dataset set = series_of(kind_for(GetParam()));
  { SeriesWriter(folder.file("series." + GetParam()), outline_of(set)).write(set); }
  EXPECT_EQ(folder.files(), 0u);
}

INSTANTIATE_TEST_SUITE_P(SeriesStream, EveryFormat, ::testing::ValuesIn(series_formats()),
                         [](const auto& test) { return test.param; });

TEST(SeriesStream, HasAHeaderOfCsvLongerThanTheBufferFromAPipe) {
  const TemporaryDirectory folder;
  std::string header = "\xEF\xBB\xBFlabel";
  std::string values = "a";
  for (int time = 0; time < 100'000; ++time) {
    header.append(",t").append(std::to_string(time));
    values.append(",").append(std::to_string(time % 10));
  }
  header.append("\n").append(values).append("\n");
  const Feeder feeder(folder.file("pipe"), header);
  ReadOptions options;
  options.format = "csv";
  const Dataset set = read_dataset(folder.file("pipe"), options);
  EXPECT_EQ(set.longest(), 100'000u);
  EXPECT_EQ(set.values()[99'999], 9.0);
}

TEST(SeriesStream, AsksWhoeverWaitsForAPipe) {
  const TemporaryDirectory folder;
  ASSERT_EQ(mkfifo(folder.file("pipe.tsv").c_str(), 0600), 0);
  std::fstream writer(folder.file("pipe.tsv"));  // for both, so that nobody waits for the other end
  writer << "1\t2\t3\n1\t4\t5" << std::flush;
  std::size_t calls = 0;
  ReadOptions options;
  options.waiting = [&] {
    if (++calls == 4) throw std::domain_error("enough");
  };
  SeriesReader reader(folder.file("pipe.tsv"), options);
  EXPECT_THROW((void)reader.next(), std::domain_error);

  calls = 0;
  SeriesReader file(folder.file("a.tsv", "1\t2\t3\n"), options);
  EXPECT_EQ(file.next()->cases(), 1u);
  EXPECT_EQ(calls, 0u);
}

TEST(SeriesStream, PutsWholeCasesIntoAPipeEvenWithoutFinish) {
  const TemporaryDirectory folder;
  ASSERT_EQ(mkfifo(folder.file("pipe.tsv").c_str(), 0600), 0);
  std::fstream reader(folder.file("pipe.tsv"));
  Dataset set(1);
  set.add_case(std::vector<double>{1, 2}, "a");
  SeriesWriter(folder.file("pipe.tsv"), outline_of(set)).write(set);
  reader << "the next\n" << std::flush;  // so that there is something to read in any case
  std::string line;
  std::getline(reader, line);
  EXPECT_EQ(line, "a\t1\t2");
}

TEST(SeriesStream, TellsHowFarItsOutlineIs) {
  const TemporaryDirectory folder;
  std::string lines;
  for (int item = 0; item < 600; ++item) lines += "1\t2\t3\n";
  std::vector<std::size_t> told;
  SeriesReader reader(folder.file("a.tsv", lines));
  (void)reader.outline([&](const SeriesOutline& so_far) { told.push_back(so_far.cases); });
  EXPECT_EQ(told, (std::vector<std::size_t>{256, 512, 600}));
}

TEST(SeriesStream, WarnsOnceOfTextWithoutANewlineAtItsEnd) {
  const testing::TemporaryDirectory folder;
  std::vector<std::string> warnings;
  ReadOptions options;
  options.warning = [&](const std::string& text) { warnings.push_back(text); };
  const auto read = [&](const std::string& name, const std::string& content) {
    warnings.clear();
    SeriesReader reader(folder.file(name, content), options);
    (void)reader.outline();
    while (reader.next()) {
    }
    return warnings;
  };
  const auto expected = [&](const std::string& name) {
    return std::vector{folder.file(name).string() +
                       ": expected a newline at the end, got none: the file may have been cut short"};
  };
  EXPECT_EQ(read("a.tsv", "a\t1\t2\nb\t1\t2"), expected("a.tsv"));
  EXPECT_EQ(read("a.csv", "a,1,2\nb,1,2"), expected("a.csv"));
  EXPECT_EQ(read("a.ts", "@classLabel false\n@data\n1,2\n3,4"), expected("a.ts"));
  EXPECT_EQ(read("a.arff", "@attribute t0 numeric\n@data\n1\n2"), expected("a.arff"));
  EXPECT_TRUE(read("a.tsv", "a\t1\t2\nb\t1\t2\n").empty());
  EXPECT_TRUE(read("a.tsv", "a\t1\t2\r\nb\t1\t2\r\n").empty());
}

TEST(SeriesStream, RefusesPartsThatTakeMoreMemoryThanTheyMay) {
  const testing::TemporaryDirectory folder;
  Dataset set;
  for (int item = 0; item < 4; ++item) set.add_case(std::vector<double>(100'000, 0.5));
  for (const char* extension : {".tsv", ".csv", ".ts"}) {
    const std::filesystem::path path = folder.file(std::string("set") + extension);
    write_dataset(path, set);
    ReadOptions options;
    options.max_size = 1'000'000;
    SeriesReader reader(path, options);
    std::size_t cases = 0;
    while (const std::optional<Dataset> part = reader.next({1, 1})) cases += part->cases();
    EXPECT_EQ(cases, 4u);
    EXPECT_THROW((void)read_dataset(path, options), FileError) << extension;
    options.max_size = 500'000;
    EXPECT_THROW((void)SeriesReader(path, options).next({1, 1}), FileError) << extension;
  }
}

TEST(SeriesStream, FindsAMistakeWhereItIs) {
  const TemporaryDirectory folder;
  SeriesReader reader(folder.file("a.tsv", "1\t2\t3\n1\t4\t5\n1\t6\tx\n"));
  EXPECT_EQ(reader.next({1, 1})->cases(), 1u);
  EXPECT_EQ(reader.next({1, 1})->cases(), 1u);
  try {
    (void)reader.next({1, 1});
    FAIL();
  } catch (const FileError& problem) {
    EXPECT_EQ(problem.place().line, 3u);
    EXPECT_EQ(problem.place().column, 3u);
  }
}

TEST(SeriesStream, RefusesAFileWithoutSeries) {
  const TemporaryDirectory folder;
  SeriesReader reader(folder.file("a.tsv", "\n\n"));
  EXPECT_THROW((void)reader.next(), FileError);
}

TEST(SeriesStream, NeedsToKnowTheSetAheadExceptOfTsvAndCsv) {
  const TemporaryDirectory folder;
  const Dataset set = series_of({true, 1, false});
  SeriesOutline unknown;
  unknown.labeled = true;
  unknown.shortest = unknown.longest = set.longest();
  for (const std::string& format : series_formats()) {
    const std::filesystem::path path = folder.file("out." + format);
    if (format != "tsv" && format != "csv") {
      EXPECT_THROW(SeriesWriter(path, unknown), FileError) << format;
      continue;
    }
    SeriesWriter writer(path, unknown);
    writer.write(set);
    writer.finish();
    expect_same(read_dataset(path), set);
  }
}

TEST(SeriesStream, RefusesPartsThatAreNotAsTheOutlineSays) {
  const TemporaryDirectory folder;
  const Dataset set = series_of({true, 1, false});
  SeriesWriter writer(folder.file("out.tsv"), outline_of(set));
  EXPECT_THROW(writer.write(series_of({true, 2, false})), std::invalid_argument);
  EXPECT_THROW(writer.write(series_of({false, 1, false})), std::invalid_argument);
  EXPECT_THROW(writer.write(series_of({true, 1, true})), std::invalid_argument);
  EXPECT_THROW(writer.finish(), std::invalid_argument);  // cases are missing
  EXPECT_THROW(SeriesWriter(folder.file("out.tsv"), outline_of(set), "xls"), std::invalid_argument);
}

TEST(SeriesStream, HasFortranOrderInParts) {
  const TemporaryDirectory folder;
  std::string header = "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 2), }";
  header.resize(118, ' ');
  std::string bytes = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header;
  for (const double value : {0.0, 10.0, 20.0, 1.0, 11.0, 21.0}) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  SeriesReader reader(folder.file("a.npy", bytes));
  std::size_t parts = 0;
  const Dataset set = put_together(reader, {1, 1}, parts);
  EXPECT_EQ(parts, 3u);
  EXPECT_EQ((std::vector<double>{set.values().begin(), set.values().end()}),
            (std::vector<double>{0, 1, 10, 11, 20, 21}));
}

}  // namespace series_stream_test
}  // namespace diffeo
