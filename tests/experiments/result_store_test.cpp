#include "diffeo/result_store.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "diffeo/file_error.hpp"
#include "support/temporary_directory.hpp"

namespace diffeo {
namespace result_store_test {

using testing::TemporaryDirectory;

EvaluationResult result_of(const std::string& dataset) {
  EvaluationResult result;
  result.item = {dataset, "euclidean", {}, std::nullopt, 0};
  result.test_accuracy = 0.5;
  return result;
}

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(ResultStore, KnowsWhatWasAddedBefore) {
  const TemporaryDirectory directory;
  {
    ResultStore store(directory.path() / "new" / "folder");
    store.add(result_of("A"));
    store.add(result_of("B"));
  }
  const ResultStore again(directory.path() / "new" / "folder");
  EXPECT_EQ(again.results(), (std::vector<EvaluationResult>{result_of("A"), result_of("B")}));
  EXPECT_TRUE(again.contains(result_of("B").item));
  EXPECT_FALSE(again.contains(result_of("C").item));
}

TEST(ResultStore, TellsItemsApartByEverythingThatTheyAre) {
  const TemporaryDirectory directory;
  ResultStore store(directory.path());
  store.add(result_of("A"));
  const WorkItem item = result_of("A").item;
  EXPECT_TRUE(store.contains(item));
  EXPECT_FALSE(store.contains({"A", "dba", {}, std::nullopt, 0}));
  EXPECT_FALSE(store.contains({"A", "euclidean", {{"cells", "3"}}, std::nullopt, 0}));
  EXPECT_FALSE(store.contains({"A", "euclidean", {}, 0, 0}));
  EXPECT_FALSE(store.contains({"A", "euclidean", {}, std::nullopt, 5}));
}

TEST(ResultStore, CutsOffALineThatWasNotFinishedAndSaysSo) {
  const TemporaryDirectory directory;
  const std::string whole = to_line(result_of("A")) + "\n";
  const std::string next = to_line(result_of("B")) + "\n";
  for (std::size_t kept = 0; kept + 1 < next.size(); ++kept) {
    std::ofstream(directory.file("results.jsonl")) << whole << next.substr(0, kept);
    ResultStore store(directory.path());
    ASSERT_EQ(store.results().size(), 1u) << kept;
    ASSERT_EQ(store.repair().empty(), kept == 0) << store.repair();
    store.add(result_of("C"));
    ASSERT_EQ(text_of(store.file()), whole + to_line(result_of("C")) + "\n") << kept;
  }
}

TEST(ResultStore, KeepsALastLineThatOnlyLacksItsEnd) {
  const TemporaryDirectory directory;
  const std::string both = to_line(result_of("A")) + "\n" + to_line(result_of("B"));
  std::ofstream(directory.file("results.jsonl")) << both;
  EXPECT_EQ(read_results(directory.path()).size(), 2u);
  EXPECT_EQ(text_of(directory.file("results.jsonl")), both);  // reading changes nothing
  ResultStore store(directory.path());
  EXPECT_EQ(store.results(), (std::vector<EvaluationResult>{result_of("A"), result_of("B")}));
  EXPECT_EQ(store.repair(), "");
  store.add(result_of("C"));
  EXPECT_EQ(text_of(store.file()), both + "\n" + to_line(result_of("C")) + "\n");
}

TEST(ResultStore, NamesTheLineThatIsNoResult) {
  const TemporaryDirectory directory;
  std::ofstream(directory.file("results.jsonl")) << to_line(result_of("A")) << "\nnonsense\n";
  try {
    const ResultStore store(directory.path());
    FAIL();
  } catch (const FileError& problem) {
    EXPECT_EQ(problem.place().line, 2u);
  }
  EXPECT_NE(text_of(directory.file("results.jsonl")).find("nonsense"), std::string::npos);
}

TEST(ResultStore, OfTwoResultsOfAnItemTheFirstCounts) {
  const TemporaryDirectory directory;
  EvaluationResult other = result_of("A");
  other.test_accuracy = 0.25;
  {
    ResultStore store(directory.path());
    EXPECT_EQ(store.add(result_of("A")), result_of("A"));
    EXPECT_EQ(store.add(other), result_of("A"));
  }
  EXPECT_EQ(ResultStore(directory.path()).add(other), result_of("A"));
  EXPECT_EQ(text_of(directory.file("results.jsonl")), to_line(result_of("A")) + "\n");
  std::ofstream(directory.file("results.jsonl"), std::ios::app)
      << to_line(other) << "\n";  // as of folders put together
  EXPECT_EQ(read_results(directory.path()), std::vector<EvaluationResult>{result_of("A")});
}

TEST(ResultStore, ASecondOneOfAFolderIsRefusedAndNamesTheProcess) {
  const TemporaryDirectory directory;
  {
    const ResultStore store(directory.path());
    const std::string expected = directory.path().string() + ": in use by process " + std::to_string(getpid()) + " on ";
    try {
      const ResultStore second(directory.path());
      ADD_FAILURE();
    } catch (const std::runtime_error& problem) {
      EXPECT_TRUE(std::string(problem.what()).starts_with(expected)) << problem.what();
    }
    EXPECT_TRUE(read_results(directory.path()).empty());  // reading needs no lock
  }
  const ResultStore free_again(directory.path());
}

TEST(ResultStore, OfAKilledProcessIsFreeThoughItsChildLivesOn) {
  const TemporaryDirectory directory;
  const pid_t parent = fork();
  if (parent == 0) {
    ResultStore store(directory.path());
    const pid_t child = fork();
    if (child == 0) {
      store.leave_lock_to_parent();
      pause();
    }
    std::ofstream(directory.file("child")) << child << std::flush;
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(parent, &status, 0), parent);
  ASSERT_TRUE(WIFSIGNALED(status));
  const ResultStore store(directory.path());
  kill(static_cast<pid_t>(std::stoi(text_of(directory.file("child")))), SIGKILL);
}

TEST(ResultStore, AnEditorMayReplaceTheFileMeanwhile) {
  const TemporaryDirectory directory;
  ResultStore store(directory.path());
  store.add(result_of("A"));
  std::ofstream(directory.file("beside")) << to_line(result_of("A")) << "\n";
  std::filesystem::rename(directory.file("beside"), store.file());
  store.add(result_of("B"));
  EXPECT_EQ(read_results(directory.path()), store.results());
}

TEST(ResultStore, LinesThatAreTakenOutAreSeenToBeGoneWhenItIsOpenedAgain) {
  const TemporaryDirectory directory;
  {
    ResultStore store(directory.path());
    store.add(result_of("A"));
    store.add(result_of("B"));
  }
  std::ofstream(directory.file("results.jsonl")) << to_line(result_of("B")) << "\n";
  EXPECT_FALSE(ResultStore(directory.path()).contains(result_of("A").item));
}

TEST(ResultStore, ReadingChangesNothing) {
  const TemporaryDirectory directory;
  EXPECT_TRUE(read_results(directory.path() / "nowhere").empty());
  EXPECT_FALSE(std::filesystem::exists(directory.path() / "nowhere"));
  const std::string text = to_line(result_of("A")) + "\n{\"dataset\":";
  std::ofstream(directory.file("results.jsonl")) << text;
  EXPECT_EQ(read_results(directory.path()).size(), 1u);
  EXPECT_EQ(text_of(directory.file("results.jsonl")), text);
}

}  // namespace result_store_test
}  // namespace diffeo
