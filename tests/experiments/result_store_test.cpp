#include "diffeo/result_store.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "diffeo/file_error.hpp"
#include "support/temporary_directory.hpp"

namespace diffeo {
namespace result_store_test {

using testing::TemporaryDirectory;

EvaluationResult result_of(const std::string& dataset) {
  EvaluationResult result;
  result.item = {dataset, "euclidean", {}, std::nullopt, 0};
  result.test_accuracy = 0.5;
  result.date = dataset;  // the order in which results are settled
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

TEST(ResultStore, CutsOffALineThatWasNotFinished) {
  const TemporaryDirectory directory;
  const std::string whole = to_line(result_of("A")) + "\n";
  const std::string next = to_line(result_of("B")) + "\n";
  for (std::size_t kept = 0; kept + 1 < next.size(); ++kept) {
    std::ofstream(directory.file("results.jsonl")) << whole << next.substr(0, kept);
    ResultStore store(directory.path());
    ASSERT_EQ(store.results().size(), 1u) << kept;
    store.add(result_of("C"));
    ASSERT_TRUE(store.settle());
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
  EXPECT_FALSE(store.add(result_of("B")));
  EXPECT_TRUE(store.add(result_of("C")));
  EXPECT_TRUE(store.settle());
  EXPECT_EQ(text_of(store.file()), both + "\n" + to_line(result_of("C")) + "\n");
}

TEST(ResultStore, KnowsALastLineThatOnlyLacksItsEndWhereNobodyCanSettle) {
  const TemporaryDirectory directory;
  std::ofstream(directory.file("results.jsonl")) << to_line(result_of("A"));
  const int somebody = open(directory.file("results.jsonl").c_str(), O_RDWR);
  ASSERT_EQ(flock(somebody, LOCK_EX), 0);
  ResultStore store(directory.path());
  EXPECT_TRUE(store.contains(result_of("A").item));
  std::ofstream(directory.file("results.jsonl"), std::ios::app) << "\n" << to_line(result_of("B")) << "\n";
  store.refresh();
  EXPECT_EQ(store.results(), (std::vector<EvaluationResult>{result_of("A"), result_of("B")}));
  close(somebody);
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

TEST(ResultStore, OneFolderHoldsWhatSeveralAdd) {
  const TemporaryDirectory directory;
  ResultStore first(directory.path());
  ResultStore second(directory.path());
  EXPECT_TRUE(first.add(result_of("A")));
  EXPECT_FALSE(second.contains(result_of("A").item));
  second.refresh();
  EXPECT_TRUE(second.contains(result_of("A").item));
  EXPECT_TRUE(second.add(result_of("B")));
  EXPECT_TRUE(second.settle());  // moves both
  first.refresh();
  EXPECT_EQ(first.results(), (std::vector<EvaluationResult>{result_of("A"), result_of("B")}));
  EXPECT_EQ(read_results(directory.path()), first.results());
  EXPECT_TRUE(std::filesystem::is_empty(directory.path() / "items"));
}

TEST(ResultStore, OfTwoResultsOfAnItemTheFirstCounts) {
  const TemporaryDirectory directory;
  ResultStore first(directory.path());
  ResultStore second(directory.path());
  EvaluationResult other = result_of("A");
  other.test_accuracy = 0.25;
  EXPECT_TRUE(first.add(result_of("A")));
  EXPECT_FALSE(second.add(other));
  EXPECT_EQ(second.results(), std::vector<EvaluationResult>{result_of("A")});
  first.settle();
  ResultStore late(directory.path());
  EXPECT_FALSE(late.add(other));
  late.settle();
  EXPECT_EQ(text_of(late.file()), to_line(result_of("A")) + "\n");
}

TEST(ResultStore, AResultThatWasSettledCountsForAStoreThatHasNotLookedSince) {
  const TemporaryDirectory directory;
  ResultStore late(directory.path());
  {
    ResultStore first(directory.path());
    EXPECT_TRUE(first.add(result_of("A")));
    EXPECT_TRUE(first.settle());
  }
  EvaluationResult other = result_of("A");
  other.test_accuracy = 0.25;
  EXPECT_FALSE(late.add(other));
  EXPECT_EQ(late.results(), std::vector<EvaluationResult>{result_of("A")});
  EXPECT_TRUE(std::filesystem::is_empty(directory.path() / "items"));
}

TEST(ResultStore, AResultThatWasAppendedAndNotYetRemovedCountsOnce) {
  const TemporaryDirectory directory;
  const std::string line = to_line(result_of("A")) + "\n";
  const std::string name = work_key(result_of("A").item) + ".json";
  std::filesystem::create_directories(directory.path() / "items");
  std::ofstream(directory.path() / "items" / name) << line;
  std::ofstream(directory.file("results.jsonl")) << line;
  EXPECT_EQ(read_results(directory.path()).size(), 1u);
  const ResultStore store(directory.path());
  EXPECT_EQ(store.results().size(), 1u);
  EXPECT_EQ(text_of(store.file()), line);
  EXPECT_TRUE(std::filesystem::is_empty(directory.path() / "items"));
}

TEST(ResultStore, SettlingIsLeftToWhoeverIsAtIt) {
  const TemporaryDirectory directory;
  ResultStore store(directory.path());
  store.add(result_of("A"));
  const int somebody = open(store.file().c_str(), O_RDWR);
  ASSERT_EQ(flock(somebody, LOCK_EX), 0);
  EXPECT_FALSE(store.settle());
  EXPECT_EQ(ResultStore(directory.path()).results().size(), 1u);  // opened and read all the same
  EXPECT_EQ(text_of(store.file()), "");
  close(somebody);
  EXPECT_TRUE(store.settle());
  EXPECT_EQ(text_of(store.file()), to_line(result_of("A")) + "\n");
}

TEST(ResultStore, LinesThatAreTakenOutAreSeenToBeGoneWhenItIsOpenedAgain) {
  const TemporaryDirectory directory;
  {
    ResultStore store(directory.path());
    store.add(result_of("A"));
    store.add(result_of("B"));
    store.settle();
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
