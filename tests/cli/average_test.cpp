// diffeo average: what happens when somebody presses Ctrl-C in the middle.
#include <gtest/gtest.h>

#include <string>

#include "diffeo/files.hpp"
#include "diffeo/generate.hpp"
#include "expectations.hpp"
#include "interrupting.hpp"
#include "support/temporary_directory.hpp"

namespace diffeo::cli {
namespace average_test {

using diffeo::testing::TemporaryDirectory;

TEST(Average, InterruptedInItsOnlyClassFailsAndWritesNothing) {
  const TemporaryDirectory folder;
  // So many that it is not done before the signal comes: were it not for that, every method would take a second.
  write_dataset(folder.file("series.tsv"), generate_cbf(120, 1, 400));
  for (const std::string method : {"warp", "dba", "soft-dtw"}) {
    const Interrupting interrupting;
    expect_refusal(1,
                   {"average", folder.file("series.tsv"), "-o", folder.file("mean.tsv"), "--ignore-labels", "--method",
                    method, "--threads", "1", "--quiet"},
                   "diffeo: average: interrupted in ");
    EXPECT_EQ(folder.files(), 1u) << method;
  }
}

}  // namespace average_test
}  // namespace diffeo::cli
