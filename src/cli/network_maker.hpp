// Networks for evaluations (diffeo/evaluation.hpp), where the program has libtorch.
#pragma once

#include <string>

#include "diffeo/evaluation.hpp"

namespace diffeo::cli {

/// Makes temporal aligners; std::runtime_error, in the name of the verb, in a program without libtorch.
[[nodiscard]] NetworkMaker network_maker(const std::string& verb);

}  // namespace diffeo::cli
