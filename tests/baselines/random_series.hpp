// Seeded random series, and results of the same call on every instruction set of this machine.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "diffeo/dataset.hpp"
#include "diffeo/random.hpp"
#include "diffeo/version.hpp"

namespace diffeo::testing {

/// channels x length values.
inline std::vector<double> random_series(Random& random, std::size_t channels, std::size_t length, double scale = 1) {
  std::vector<double> values(channels * length);
  for (double& value : values) value = scale * random.normal();
  return values;
}

inline SeriesView<const double> view(const std::vector<double>& values, std::size_t channels = 1) {
  return {values.data(), channels, values.size() / channels};
}

/// Cases of lengths between `shortest` and `longest`.
inline Dataset random_dataset(Random& random, std::size_t cases, std::size_t channels, std::size_t shortest,
                              std::size_t longest) {
  Dataset result(channels);
  for (std::size_t item = 0; item < cases; ++item) {
    result.add_case(random_series(random, channels, shortest + random.below(longest - shortest + 1)));
  }
  return result;
}

/// What `call` returns with the kernels of every instruction set up to the best this machine has.
template <class Call>
auto on_every_instruction_set(Call call) {
  const char* const before = std::getenv("DIFFEO_INSTRUCTION_SET");
  const std::string wish = before == nullptr ? "" : before;
  std::vector<decltype(call())> results;
  for (const char* name : {"baseline", "avx2", "avx512"}) {
    setenv("DIFFEO_INSTRUCTION_SET", name, 1);
    if (instruction_set() == name) results.push_back(call());
  }
  if (before == nullptr) {
    unsetenv("DIFFEO_INSTRUCTION_SET");
  } else {
    setenv("DIFFEO_INSTRUCTION_SET", wish.c_str(), 1);
  }
  return results;
}

}  // namespace diffeo::testing
