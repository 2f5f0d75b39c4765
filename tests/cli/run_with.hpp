// The program as a person runs it: arguments in; exit code, output and errors out.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/run.hpp"

namespace diffeo::cli {

struct Outcome {
  int exit_code;
  std::string output;
  std::string errors;
};

inline Outcome run_with(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "diffeo");
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int exit_code = run(static_cast<int>(arguments.size()), pointers.data());
  return {exit_code, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

}  // namespace diffeo::cli
