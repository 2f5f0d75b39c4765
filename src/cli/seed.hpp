// Seeds on the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <random>
#include <string>

namespace diffeo::cli {

/// CLI11 would count a negative number from the other end.
[[nodiscard]] inline CLI::Validator whole_seed() {
  const auto problem = [](const std::string& text) {
    std::uint64_t seed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    const bool is_whole = error == std::errc() && end == text.data() + text.size();
    return is_whole ? std::string() : "expected a whole number from 0 to 2^64 - 1, got " + text;
  };
  return CLI::Validator(problem, "");
}

/// To be said to whoever may want the same again; 32 bits, short enough to type.
[[nodiscard]] inline std::uint64_t drawn_seed() { return std::random_device()(); }

}  // namespace diffeo::cli
