// What tests of several verbs expect of mistakes and failures.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "run_with.hpp"

namespace diffeo::cli {

/// Exit code, nothing on stdout, and one line on stderr that has that part.
inline void expect_refusal(int exit_code, const std::vector<std::string>& arguments, const std::string& part) {
  const Outcome outcome = run_with(arguments);
  EXPECT_EQ(outcome.exit_code, exit_code) << outcome.errors;
  EXPECT_EQ(outcome.output, "");
  EXPECT_NE(outcome.errors.find(part), std::string::npos) << outcome.errors;
  EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1) << outcome.errors;
}

}  // namespace diffeo::cli
