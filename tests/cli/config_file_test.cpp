#include "cli/config_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "diffeo/file_error.hpp"
#include "run_with.hpp"
#include "support/temporary_directory.hpp"

namespace diffeo::cli {
namespace config_file_test {

using testing::TemporaryDirectory;

std::string problem_in(const std::string& text) {
  const TemporaryDirectory folder;
  const std::filesystem::path path = folder.file("options.toml", text);
  try {
    (void)read_config(path);
  } catch (const FileError& problem) {
    return std::string(problem.what()).substr(path.string().size());
  }
  return "none";
}

TEST(ConfigFile, HasNumbersTextTruthAndLists) {
  const TemporaryDirectory folder;
  const Config config =
      read_config(folder.file("options.toml",
                              "# remark\n\ncells = 16\r\nloss = \"variance + 30 \\\"x\\\"\" # why\n"
                              "  path = 'C:\\a'\n[fit]\nwidths = [ 32, 8 ]\nbalanced=true\nx = -1e-3\n"));
  const std::vector<ConfigEntry>& entries = config.entries;
  ASSERT_EQ(entries.size(), 6u);
  const std::vector<std::vector<std::string>> expected = {
      {"", "cells", "16"},       {"", "loss", "variance + 30 \"x\""}, {"", "path", "C:\\a"},
      {"fit", "widths", "32,8"}, {"fit", "balanced", "true"},         {"fit", "x", "-1e-3"}};
  for (std::size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ((std::vector<std::string>{entries[i].table, entries[i].key, entries[i].value}), expected[i]);
  }
  EXPECT_EQ(entries[3].line, 7u);
  ASSERT_EQ(config.tables.size(), 1u);
  EXPECT_EQ(config.tables[0].name, "fit");
  EXPECT_EQ(config.tables[0].line, 6u);
}

TEST(ConfigFile, SaysWhereItIsWrong) {
  EXPECT_EQ(problem_in("cells 3\n"), ":1: expected = after a key, got '3'");
  EXPECT_EQ(problem_in("\ncells =\n"), ":2: expected a number, true, false, text in quotes or a list, got nothing");
  EXPECT_EQ(problem_in("loss = \"variance\n"), ":1: expected a closing quote, got '\"variance'");
  EXPECT_EQ(problem_in("widths = [1, 2\n"), ":1: expected ] after a list, got nothing");
  EXPECT_EQ(problem_in("[fit\n"), ":1: expected ] after the name of a table, got nothing");
  EXPECT_EQ(problem_in("cells = 3 4\n"), ":1: expected the end of the line, got '4'");
  EXPECT_EQ(problem_in("= 3\n"), ":1: expected a name, got '= 3'");
}

TEST(ConfigFile, HasNoListsWithinLists) {
  for (const std::size_t depth : {1, 40'000, 4'000'000}) {
    const std::string problem = problem_in("widths = [" + std::string(depth, '[') + "\n");
    EXPECT_TRUE(problem.starts_with(":1: expected a number, true, false or text in quotes within a list, got '["))
        << problem;
  }
}

TEST(ConfigFile, KeepsNothingAboutWhereOutputsGo) {
  const TemporaryDirectory folder;
  const std::string series = folder.file("series.tsv", "1\t1\t2\t3\t1\n1\t1\t3\t2\t1\n");
  const std::string saved = folder.file("align.toml");
  const Outcome outcome = run_with({"align", series, "-o", folder.file("aligned.tsv"), "--warps", folder.file("warps"),
                                    "--cells", "3", "--save-config", saved});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
  std::vector<std::string> keys;
  for (const ConfigEntry& entry : read_config(saved).entries) keys.push_back(entry.key);
  EXPECT_NE(std::ranges::find(keys, "cells"), keys.end());
  for (const char* place : {"output", "warps", "save-config"}) EXPECT_EQ(std::ranges::find(keys, place), keys.end());
}

}  // namespace config_file_test
}  // namespace diffeo::cli
