// Networks for evaluations (diffeo/evaluation.hpp), where the program has libtorch.
#pragma once

#include "diffeo/evaluation.hpp"

namespace diffeo::cli {

/// Makes temporal aligners; std::runtime_error in a program without libtorch.
[[nodiscard]] NetworkMaker network_maker();

}  // namespace diffeo::cli
