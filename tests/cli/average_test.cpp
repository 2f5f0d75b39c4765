// diffeo average: what happens when somebody presses Ctrl-C in the middle.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "diffeo/files.hpp"
#include "diffeo/generate.hpp"
#include "interrupting.hpp"
#include "run_with.hpp"
#include "support/temporary_directory.hpp"

namespace diffeo::cli {
namespace {

using diffeo::testing::TemporaryDirectory;

class InterruptedAverage : public ::testing::TestWithParam<std::string> {};

TEST_P(InterruptedAverage, OfASingleClassFailsAndWritesNothing) {
  const TemporaryDirectory folder;
  // Long enough that the signal comes in the middle: about a second, were it not for that.
  write_dataset(folder.file("series.tsv"), generate_cbf(120, 1, 400));
  const Interrupting interrupting;
  const Outcome outcome = run_with({"average", folder.file("series.tsv"), "-o", folder.file("mean.tsv"),
                                    "--ignore-labels", "--method", GetParam(), "--threads", "1", "--quiet"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.output, "");
  EXPECT_TRUE(outcome.errors.starts_with("diffeo: average: interrupted in ")) << outcome.errors;
  EXPECT_NE(outcome.errors.find("step"), std::string::npos) << outcome.errors;
  EXPECT_EQ(folder.files(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Average, InterruptedAverage, ::testing::Values("warp", "dba", "soft-dtw"),
                         [](const auto& test) { return test.param == "soft-dtw" ? "soft_dtw" : test.param; });

}  // namespace
}  // namespace diffeo::cli
