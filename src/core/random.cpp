#include "diffeo/random.hpp"

#include <bit>
#include <cmath>

#include "diffeo/error.hpp"

namespace diffeo {
namespace {

std::uint64_t split_mix(std::uint64_t& state) noexcept {
  std::uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// log(x) for x in (0, 1], to a few units in the last place: x = m 2^e with m in [sqrt(1/2), sqrt(2)), and
/// log m = 2 atanh(s), s = (m - 1) / (m + 1), |s| < 0.172, where 11 terms of the series leave 2e-18.
double portable_log(double x) noexcept {
  constexpr double kLogTwo = 0.69314718055994530942;
  constexpr double kSquareRootOfHalf = 0.70710678118654752440;
  constexpr int kTerms = 11;
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);
  if (mantissa < kSquareRootOfHalf) {
    mantissa *= 2.0;
    --exponent;
  }
  const double s = (mantissa - 1.0) / (mantissa + 1.0);
  double series = 0.0;
  for (int term = kTerms - 1; term >= 0; --term) series = series * (s * s) + 1.0 / (2.0 * term + 1.0);
  return 2.0 * s * series + exponent * kLogTwo;
}

}  // namespace

Random::Random(std::uint64_t seed) noexcept {
  for (std::uint64_t& word : state_) word = split_mix(seed);
}

std::uint64_t Random::bits() noexcept {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double Random::uniform() noexcept { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

double Random::normal() noexcept {
  if (has_spare_normal_) {
    has_spare_normal_ = false;
    return spare_normal_;
  }
  double x = 0.0;
  double y = 0.0;
  double radius = 0.0;
  while (radius == 0.0 || radius >= 1.0) {
    x = 2.0 * uniform() - 1.0;
    y = 2.0 * uniform() - 1.0;
    radius = x * x + y * y;
  }
  const double scale = std::sqrt(-2.0 * portable_log(radius) / radius);
  spare_normal_ = y * scale;
  has_spare_normal_ = true;
  return x * scale;
}

// Numbers below 2^64 mod bound are drawn again: what is left divides evenly.
std::uint64_t Random::below(std::uint64_t bound) {
  require(bound > 0, "bound: expected at least 1, got 0");
  const std::uint64_t uneven = (0 - bound) % bound;
  std::uint64_t drawn = bits();
  while (drawn < uneven) drawn = bits();
  return drawn % bound;
}

}  // namespace diffeo
