#include <gtest/gtest.h>

#include <string>

#include "diffeo/files.hpp"
#include "diffeo/generate.hpp"
#include "diffeo/tensor_file.hpp"
#include "expectations.hpp"
#include "support/small_archive.hpp"
#include "support/temporary_directory.hpp"

namespace diffeo::cli {
namespace without_torch_test {

TEST(WithoutTorch, VerbsThatNeedANetworkSayWhatIsMissing) {
  for (const std::string verb : {"fit", "classify"}) {
    expect_refusal(1, {verb, "a.tsv", "-o", "b", "--cells", "3"},
                   "diffeo: " + verb + ": this program was built without libtorch");
  }
  const diffeo::testing::TemporaryDirectory directory;
  TensorFile model;
  model.metadata["format"] = "diffeo temporal aligner";
  write_tensor_file(directory.file("model"), model);
  expect_refusal(1, {"transform", directory.file("model"), "a.tsv", "-o", "b.tsv"},
                 "diffeo: transform: this program was built without libtorch");
}

TEST(WithoutTorch, AModelWithoutANetworkAlignsSeries) {
  const diffeo::testing::TemporaryDirectory directory;
  const std::string series = directory.file("cbf.tsv"), model = directory.file("model");
  write_dataset(series, generate_cbf(6, 1));
  EXPECT_EQ(run_with({"align", series, "-o", directory.file("out.tsv"), "--model", model}).exit_code, 0);
  EXPECT_EQ(run_with({"transform", model, series, "-o", directory.file("new.tsv")}).exit_code, 0);
  EXPECT_EQ(read_dataset(directory.file("new.tsv")).cases(), 6u);
}

TEST(WithoutTorch, AReportOfAModelSaysWhatIsMissing) {
  const diffeo::testing::TemporaryDirectory directory;
  TensorFile model;
  model.metadata["format"] = "diffeo temporal aligner";
  write_tensor_file(directory.file("model"), model);
  write_dataset(directory.file("cbf.tsv"), generate_cbf(3, 1));
  expect_refusal(1,
                 {"report", directory.file("model"), "--data", directory.file("cbf.tsv"), "-o", directory.file("page")},
                 "diffeo: report: this program was built without libtorch");
}

TEST(WithoutTorch, EvaluateStillHasTheMethodsWithoutANetwork) {
  const diffeo::testing::TemporaryDirectory directory;
  diffeo::testing::add_small_set(directory.path() / "archive", "Apple", 1);
  const std::vector<std::string> command = {"evaluate", directory.file("archive"), "--results",
                                            directory.file("results"), "--methods"};
  std::vector<std::string> means = command;
  means.push_back("euclidean");
  EXPECT_EQ(run_with(means).exit_code, 0);
  std::vector<std::string> network = command;
  network.push_back("diffeo");
  expect_refusal(1, network, "diffeo: evaluate: this program was built without libtorch");
}

TEST(WithoutTorch, GridAndAblationSayWhatIsMissing) {
  const diffeo::testing::TemporaryDirectory directory;
  diffeo::testing::add_small_set(directory.path() / "archive", "Apple", 1);
  for (const std::string verb : {"grid", "ablation"}) {
    expect_refusal(1, {verb, directory.file("archive"), "--results", directory.file("results")},
                   "diffeo: " + verb + ": this program was built without libtorch");
  }
}

}  // namespace without_torch_test
}  // namespace diffeo::cli
