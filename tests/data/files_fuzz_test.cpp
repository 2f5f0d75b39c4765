// Damaged files of every form: an error or a data set, nothing else. Worth most under the sanitizers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "diffeo/file_error.hpp"
#include "diffeo/files.hpp"
#include "diffeo/random.hpp"
#include "support/temporary_directory.hpp"

namespace diffeo {
namespace files_fuzz_test {

using testing::content_of;
using testing::TemporaryDirectory;

constexpr int kDamagedFiles = 1500;  // of every form
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// Reads what may be damaged: a set that is whole, or the error that names the file.
void read_or_refuse(const std::filesystem::path& path) {
  try {
    const Dataset set = read_dataset(path);
    EXPECT_GT(set.cases(), 0u);
    EXPECT_GT(set.shortest(), 0u);
    std::size_t values = 0;
    for (std::size_t item = 0; item < set.cases(); ++item) values += set.series(item).size();
    EXPECT_EQ(values, set.values().size());
  } catch (const FileError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with(path.string())) << error.what();
  }
}

bool are_same(const Dataset& left, const Dataset& right) {
  if (left.cases() != right.cases() || left.channels() != right.channels()) return false;
  for (std::size_t item = 0; item < left.cases(); ++item) {
    if (left.length(item) != right.length(item)) return false;
  }
  return std::ranges::equal(left.values(), right.values()) && std::ranges::equal(left.labels(), right.labels()) &&
         left.class_names() == right.class_names();
}

Dataset small_set(std::size_t channels, bool same_length, bool labeled) {
  Dataset set(channels);
  for (std::size_t item = 0; item < 3; ++item) {
    std::vector<double> values(channels * (same_length ? 3 : item + 1), 1.25);
    values[0] = -1e-7 * static_cast<double>(item);
    if (channels > 1) values[1] = kMissing;
    if (labeled) {
      set.add_case(values, item == 1 ? "b" : "a");
    } else {
      set.add_case(values);
    }
  }
  return set;
}

struct Original {
  std::string extension;
  std::string content;
};

std::vector<Original> originals() {
  const TemporaryDirectory folder;
  std::vector<Original> result;
  const auto add = [&](const std::string& extension, const Dataset& set) {
    write_dataset(folder.file("set" + extension), set);
    result.push_back({extension, content_of(folder.file("set" + extension))});
  };
  add(".tsv", small_set(1, false, true));
  add(".csv", small_set(1, false, true));
  add(".ts", small_set(2, false, true));
  add(".arff", small_set(1, true, true));
  add(".arff", small_set(2, true, true));
  add(".npy", small_set(2, true, false));
  add(".npz", small_set(2, false, true));
  result.push_back({".csv", "\"a \"\"b\"\"\",1,\"2\"\r\nc,,3\r\n"});
  return result;
}

TEST(DamagedFiles, CutAnywhereAreReadOrRefused) {
  const TemporaryDirectory folder;
  for (const Original& original : originals()) {
    SCOPED_TRACE(original.extension);
    for (std::size_t size = 0; size < original.content.size() && !HasFailure(); ++size) {
      read_or_refuse(folder.file("cut" + original.extension, original.content.substr(0, size)));
    }
  }
}

TEST(DamagedFiles, WithChangedBytesAreReadOrRefused) {
  constexpr std::uint64_t kSeed = 11;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  const TemporaryDirectory folder;
  const std::string likely = "0123456789.,:;-+eE\t\r\n'\"\\{}@#%? nN";
  for (const Original& original : originals()) {
    SCOPED_TRACE(original.extension);
    for (int trial = 0; trial < kDamagedFiles && !HasFailure(); ++trial) {
      std::string content = original.content;
      for (std::uint64_t change = 0; change <= random.below(4); ++change) {
        const std::size_t place = random.below(content.size());
        const char letter =
            random.below(2) ? likely[random.below(likely.size())] : static_cast<char>(random.below(256));
        switch (random.below(3)) {
          case 0:
            content[place] = letter;
            break;
          case 1:
            content.insert(place, 1, letter);
            break;
          default:
            content.erase(place, 1 + random.below(3));
            break;
        }
        if (content.empty()) content.assign(1, 'x');
      }
      read_or_refuse(folder.file("changed" + original.extension, content));
    }
  }
}

/// What stands in an archive besides the arrays and what NumPy needs: one of everything.
Dataset set_of_every_array() {
  Dataset set(2);
  for (std::size_t item = 0; item < 3; ++item) {
    set.add_case(std::vector<double>(2 * (item + 1), 0.5 + static_cast<double>(item)), item == 1 ? "b" : "a");
  }
  set.set_labels({0, 1, 0}, {"a", "b", "never"});
  return set;
}

TEST(DamagedFiles, WithOneBitOfAnArchiveFlippedAreTheSameSetOrRefused) {
  const TemporaryDirectory folder;
  const Dataset expected = set_of_every_array();
  write_dataset(folder.file("set.npz"), expected);
  const std::string whole = content_of(folder.file("set.npz"));
  std::size_t refused = 0;
  for (std::size_t bit = 0; bit < 8 * whole.size() && !HasFailure(); ++bit) {
    std::string content = whole;
    content[bit / 8] = static_cast<char>(content[bit / 8] ^ 1 << bit % 8);
    const std::filesystem::path path = folder.file("set.npz", content);
    try {
      EXPECT_TRUE(are_same(read_dataset(path), expected)) << "bit " << bit;
    } catch (const FileError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(path.string() + ": ")) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 7 * whole.size());  // all but dates, versions and the like
}

TEST(DamagedFiles, OfNoiseAreReadOrRefused) {
  constexpr std::uint64_t kSeed = 12;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  const TemporaryDirectory folder;
  for (const char* extension : {".tsv", ".csv", ".ts", ".arff", ".npy", ".npz"}) {
    for (int trial = 0; trial < 50 && !HasFailure(); ++trial) {
      std::string content(random.below(3000), '\0');
      for (char& letter : content) letter = static_cast<char>(random.below(256));
      read_or_refuse(folder.file(std::string("noise") + extension, content));
    }
  }
}

}  // namespace files_fuzz_test
}  // namespace diffeo
