#include "diffeo/result_store.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "diffeo/file_error.hpp"
#include "support/temporary_directory.hpp"

namespace diffeo {
namespace {

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

TEST(ResultStore, CutsOffALineThatWasNotFinished) {
  const TemporaryDirectory directory;
  const std::string whole = to_line(result_of("A")) + "\n";
  const std::string next = to_line(result_of("B")) + "\n";
  for (std::size_t kept = 0; kept < next.size(); ++kept) {
    std::ofstream(directory.file("results.jsonl")) << whole << next.substr(0, kept);
    ResultStore store(directory.path());
    ASSERT_EQ(store.results().size(), 1u) << kept;
    store.add(result_of("C"));
    ASSERT_EQ(text_of(store.file()), whole + to_line(result_of("C")) + "\n") << kept;
  }
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

TEST(ResultStore, IsOpenOnceAtATime) {
  const TemporaryDirectory directory;
  {
    const ResultStore store(directory.path());
    EXPECT_THROW(ResultStore(directory.path()), FileError);
  }
  EXPECT_NO_THROW(ResultStore(directory.path()));
}

}  // namespace
}  // namespace diffeo
