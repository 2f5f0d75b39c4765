// diffeo completion: the scripts that it prints. tests/python/test_cli_options.py has them run by shells.
#include <gtest/gtest.h>

#include <string>

#include "run_with.hpp"

namespace diffeo::cli {
namespace completion_test {

/// What the script has for one verb.
std::string part_about(const std::string& verb, const std::string& shell) {
  const std::string script = run_with({"completion", shell}).output;
  const std::size_t start = script.find("\n    " + verb + ")\n");
  if (start == std::string::npos) return "nothing about " + verb;
  return script.substr(start, script.find("\n      ;;\n", start) - start);
}

TEST(Completion, LeavesFilesOfSeveralKindsToTheShell) {
  const std::string bash = part_about("report", "bash");
  EXPECT_NE(bash.find("--data) return"), std::string::npos) << bash;
  EXPECT_EQ(bash.find("WARPS"), std::string::npos) << bash;
  const std::string zsh = part_about("report", "zsh");
  EXPECT_NE(zsh.find("':input:_files'"), std::string::npos) << zsh;
}

TEST(Completion, OffersTheWordsThatAnOptionTakes) {
  EXPECT_NE(part_about("average", "bash").find("\"warp euclidean dba soft-dtw\""), std::string::npos);
  EXPECT_NE(
      part_about("generate", "zsh").find(":(cbf synthetic-control bumps two-peaks peaks narrow-peaks beats steps)"),
      std::string::npos);
}

}  // namespace completion_test
}  // namespace diffeo::cli
