// What of a folder of results is on disk, and when: a crash of the machine loses everything that is not.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "diffeo/result_store.hpp"
#include "support/temporary_directory.hpp"

namespace diffeo {
namespace results_on_disk_test {

/// What was brought to disk, in this order, and how long the file of results was then.
struct Brought {
  std::filesystem::path path;
  std::uintmax_t results_size;
};
std::vector<Brought> brought;
std::filesystem::path folder_of_interest;

void note(int descriptor) {
  std::error_code unknown;
  const std::filesystem::path link = "/proc/self/fd/" + std::to_string(descriptor);
  const std::uintmax_t size = std::filesystem::file_size(folder_of_interest / "results.jsonl", unknown);
  brought.push_back({std::filesystem::read_symlink(link, unknown), unknown ? 0 : size});
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

TEST_F(ResultsOnDisk, AResultIsThereWhenItHasBeenAdded) {
  ResultStore store(folder());
  const auto file_name = found(folder());
  ASSERT_NE(file_name, brought.end());  // of results.jsonl
  brought.clear();
  EvaluationResult result;
  result.item = {"A", "euclidean"};
  store.add(result);
  ASSERT_EQ(brought.size(), 1u);
  EXPECT_EQ(brought[0].path, store.file());
  EXPECT_EQ(brought[0].results_size, to_line(result).size() + 1);
}

}  // namespace results_on_disk_test
}  // namespace diffeo
