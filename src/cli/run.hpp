// The command line as a function: the program and the Python package's console script both call it.
#pragma once

namespace diffeo::cli {

/// Does what the arguments say and answers the exit code: 0 done, 1 failed, 2 wrong usage. Results go to
/// stdout, an error is one line on stderr, `diffeo: ...`; never throws.
int run(int argc, char** argv);

}  // namespace diffeo::cli
