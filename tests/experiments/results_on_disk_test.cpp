// What of a folder of results is on disk, and when: a crash of the machine loses every name that is not.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "diffeo/result_store.hpp"
#include "support/temporary_directory.hpp"

namespace diffeo {
namespace results_on_disk_test {

/// Something that was brought to disk, and how many results were waiting in the folder of interest at that moment.
struct Brought {
  std::filesystem::path path;
  std::ptrdiff_t waiting;
};
std::vector<Brought> brought;
std::filesystem::path folder_of_interest;

std::ptrdiff_t waiting_results() {
  std::error_code no_folder;
  const std::filesystem::directory_iterator items(folder_of_interest / "items", no_folder);
  return std::distance(begin(items), end(items));
}

void note(int descriptor) {
  std::error_code unknown;
  const std::filesystem::path link = "/proc/self/fd/" + std::to_string(descriptor);
  brought.push_back({std::filesystem::read_symlink(link, unknown), waiting_results()});
}

}  // namespace results_on_disk_test
}  // namespace diffeo

/// Stands before that of the C library in this program, and does the same.
extern "C" int fsync(int descriptor) {
  if (!diffeo::results_on_disk_test::folder_of_interest.empty()) diffeo::results_on_disk_test::note(descriptor);
  return static_cast<int>(syscall(SYS_fsync, descriptor));
}

namespace diffeo {
namespace results_on_disk_test {

class ResultsOnDisk : public ::testing::Test {
 protected:
  ResultsOnDisk() {
    brought.clear();
    folder_of_interest = folder();
  }
  ~ResultsOnDisk() override { folder_of_interest.clear(); }
  [[nodiscard]] std::filesystem::path root() const { return std::filesystem::canonical(directory_.path()); }
  [[nodiscard]] std::filesystem::path folder() const { return root() / "of" / "results"; }

  [[nodiscard]] static auto found(const std::filesystem::path& path) {
    return std::ranges::find(brought, path, &Brought::path);
  }

 private:
  testing::TemporaryDirectory directory_;
};

TEST_F(ResultsOnDisk, EveryNewFolderIsBroughtThereWithItsParent) {
  const ResultStore store(folder());
  for (const std::filesystem::path& parent : {root(), root() / "of", folder()}) {
    EXPECT_NE(found(parent), brought.end()) << parent;
  }
}

TEST_F(ResultsOnDisk, TheNameOfTheFileIsThereBeforeWhatItReplacesIsRemoved) {
  ResultStore store(folder());
  EvaluationResult result;
  result.item = {"A", "euclidean"};
  store.add(result);
  std::filesystem::remove(store.file());  // as after a crash that lost its name
  brought.clear();
  ASSERT_TRUE(store.settle());
  const auto file = found(store.file());
  const auto parent = found(folder());
  ASSERT_NE(file, brought.end());
  ASSERT_NE(parent, brought.end());
  EXPECT_LT(file, parent);
  EXPECT_EQ(parent->waiting, 1);
  EXPECT_EQ(waiting_results(), 0);
}

}  // namespace results_on_disk_test
}  // namespace diffeo
