// The command line as a function: the program and the Python package's console script both call it.
#pragma once

#include <cstddef>
#include <string>

namespace diffeo::cli {

/// How the process was started, beside its arguments.
struct Launch {
  std::string group = {};          ///< torch's name for the processes that fit together; empty: this one alone
  std::size_t processes_here = 1;  ///< of them, on this machine
  bool is_restart = false;         ///< after a failure: fit goes on from its checkpoint
};

/// Does what the arguments say and answers the exit code: 0 done, 1 failed, 2 wrong usage. Results go to
/// stdout, an error is one line on stderr, `diffeo: ...`; never throws. Of several processes the first says what all
/// have to say.
int run(int argc, char** argv, const Launch& launch = {});

}  // namespace diffeo::cli
