#include "cli/config_file.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "diffeo/file_error.hpp"
#include "support/temporary_directory.hpp"

namespace diffeo::cli {
namespace {

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

}  // namespace
}  // namespace diffeo::cli
