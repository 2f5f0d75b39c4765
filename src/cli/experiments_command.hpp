// The verbs that Python does: reports about results, and studies (python/diffeo/experiments).
//
// The command `python -m diffeo.experiments` is run by
//
//   * the interpreter that DIFFEO_PYTHON names; `pip install` sets it for its own command
//   * else .venv/bin/python of the project in whose build folder the program lies
//   * else python3 on the PATH
//
// A package that was built beside the program (build/python) comes first on its path.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace diffeo::cli {

/// A process that has said itself what went wrong.
struct EndedWith : std::runtime_error {
  explicit EndedWith(int code) : std::runtime_error("ended with an error"), exit_code(code) {}
  int exit_code;
};

/// Waits until it is done. EndedWith for an exit code other than 0; std::runtime_error if there is no Python.
void run_experiments(const std::vector<std::string>& arguments);

}  // namespace diffeo::cli
