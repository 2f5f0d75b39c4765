#include "experiments/alignment_picture.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "diffeo/evaluation.hpp"
#include "diffeo/generate.hpp"
#include "support/fake_networks.hpp"
#include "support/small_archive.hpp"
#include "support/temporary_directory.hpp"

namespace diffeo {
namespace alignment_picture_test {

const WorkItem kItem = {"Apple", "diffeo", {}, 3, 0};

TEST(AlignmentPicture, HoldsFewSeriesInFewDigitsOfEveryClass) {
  const Dataset set = generate_cbf(300, 1, 200);
  const std::string text = alignment_picture(kItem, set, set);
  const auto picture = nlohmann::json::parse(text);
  EXPECT_EQ(picture["dataset"], "Apple");
  EXPECT_EQ(picture["method"], "diffeo");
  EXPECT_EQ(picture["seed"], 3);
  EXPECT_EQ(picture["length"], 120);
  EXPECT_EQ(picture["before"].size(), 120u);
  EXPECT_EQ(picture["after"].size(), 120u);
  EXPECT_EQ(picture["before"][0].size(), 120u);
  EXPECT_EQ(picture["classes"].size(), 120u);
  const auto classes = picture["classes"].get<std::vector<std::string>>();
  EXPECT_EQ(std::set<std::string>(classes.begin(), classes.end()).size(), 3u);
  constexpr std::size_t kLongestNumber = 9;  // -0.00123, and a comma
  EXPECT_LT(text.size(), kLongestNumber * 2 * 120 * 120 + 10'000);
  EXPECT_EQ(text, alignment_picture(kItem, set, set));
}

TEST(AlignmentPicture, ShowsMissingValuesAsNull) {
  Dataset set;
  set.add_case(std::vector<double>{1.23456, std::numeric_limits<double>::quiet_NaN(), 1234.56}, "a");
  set.add_case(std::vector<double>{0.0, 1.0, 2.0}, "b");
  const auto picture = nlohmann::json::parse(alignment_picture(kItem, set, set));
  EXPECT_EQ(picture["before"][0].dump(), "[1.23,null,1230.0]");
}

TEST(AlignmentPicture, SpreadsOverClassesAsEvenlyAsCanBe) {
  Dataset set;
  for (int i = 0; i < 10; ++i) set.add_case(std::vector<double>{1.0}, i == 7 ? "rare" : "common");
  EXPECT_EQ(spread_over_classes(set, 3), (std::vector<std::size_t>{0, 1, 7}));
  EXPECT_EQ(spread_over_classes(set, 100).size(), 10u);
}

TEST(AlignmentPicture, IsKeptOfTheFirstSeedOfDiffeo) {
  const testing::TemporaryDirectory directory;
  testing::add_small_set(directory.path() / "archive", "Apple", 1);
  const Archive archive(directory.path() / "archive");
  EvaluationPlan plan;
  plan.methods = {"euclidean", "dtan", "diffeo"};
  plan.seeds = {4, 5};
  EvaluationControl control = testing::with_networks();
  control.pictures_of_seed = plan.seeds.front();
  ResultStore store(directory.path() / "results");
  EXPECT_TRUE(evaluate(work_items(archive, plan), archive, store, control));
  std::ifstream file(directory.path() / "results" / "pictures" / "Apple.json");
  const auto picture = nlohmann::json::parse(file);
  EXPECT_EQ(picture["seed"], 4);
  EXPECT_EQ(picture["method"], "diffeo");
  EXPECT_EQ(picture["before"], picture["after"]);  // nothing was moved
}

}  // namespace alignment_picture_test
}  // namespace diffeo
