// Seeded random numbers that are the same on every machine.
//
// xoshiro256** (Blackman and Vigna), seeded by SplitMix64. The standard library's
// engines are portable but its distributions are not, so both are implemented here.
// Normal numbers use the polar method with a logarithm built from additions, multiplications and
// divisions, so they do not depend on the math library.
//
//   Random random(7);
//   double height = random.normal();
//
//   * a value: a copy continues with the same numbers; not thread-safe; not for cryptography
#pragma once

#include <array>
#include <cstdint>

namespace diffeo {

class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept;

  /// 64 random bits.
  std::uint64_t bits() noexcept;
  /// Uniform in [0, 1): a multiple of 2^-53.
  double uniform() noexcept;
  /// Mean 0, variance 1.
  double normal() noexcept;
  /// Uniform in 0 .. bound - 1, without bias; std::invalid_argument if bound is 0.
  std::uint64_t below(std::uint64_t bound);

 private:
  std::array<std::uint64_t, 4> state_;
  double spare_normal_ = 0.0;
  bool has_spare_normal_ = false;
};

}  // namespace diffeo
