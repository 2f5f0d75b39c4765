#include "diffeo/archive.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "diffeo/files.hpp"
#include "diffeo/generate.hpp"
#include "support/small_archive.hpp"
#include "support/temporary_directory.hpp"

namespace diffeo {
namespace archive_test {

using testing::add_small_set;
using testing::TemporaryDirectory;

TEST(Archive, FindsDataSetsByTheirTrainingFilesInAlphabeticalOrder) {
  const TemporaryDirectory directory;
  add_small_set(directory.path(), "Wave", 1);
  add_small_set(directory.path(), "Arrow", 2);
  std::filesystem::create_directories(directory.path() / "Missing_value_and_variable_length");
  EXPECT_EQ(Archive(directory.path()).names(), (std::vector<std::string>{"Arrow", "Wave"}));
}

TEST(Archive, ReadsEveryForm) {
  const TemporaryDirectory directory;
  const Dataset set = generate_cbf(4, 3, 16);
  for (const std::string extension : {".tsv", ".ts", ".arff"}) {
    const std::string name = "Set" + extension.substr(1);
    std::filesystem::create_directories(directory.path() / name);
    write_dataset(directory.path() / name / (name + "_TRAIN" + extension), set);
  }
  const Archive archive(directory.path());
  ASSERT_EQ(archive.names().size(), 3u);
  for (const std::string& name : archive.names()) {
    EXPECT_TRUE(std::ranges::equal(archive.training(name).values(), set.values())) << name;
  }
}

TEST(Archive, RefusesWhatIsNotThere) {
  const TemporaryDirectory directory;
  EXPECT_THROW(Archive(directory.path()), std::runtime_error);
  EXPECT_THROW(Archive(directory.path() / "nowhere"), std::runtime_error);
  add_small_set(directory.path(), "Wave", 1);
  const Archive archive(directory.path());
  EXPECT_THROW((void)archive.training("wave"), std::invalid_argument);
  std::filesystem::remove(directory.path() / "Wave" / "Wave_TEST.tsv");
  EXPECT_THROW((void)archive.test("Wave"), std::runtime_error);
  EXPECT_EQ(archive.training("Wave").cases(), 12u);
}

}  // namespace archive_test
}  // namespace diffeo
