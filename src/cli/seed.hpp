// A seed where none is given.
#pragma once

#include <cstdint>
#include <random>

namespace diffeo::cli {

/// To be said to whoever may want the same again; 32 bits, short enough to type.
[[nodiscard]] inline std::uint64_t drawn_seed() { return std::random_device()(); }

}  // namespace diffeo::cli
