#include "data/displacement.hpp"

#include "diffeo/error.hpp"

namespace diffeo {
namespace {

// A strength of more than this cannot be what is wanted: every point has come to rest at a zero of its velocity.
constexpr double kLargestStrength = 1e6;
constexpr int kBisections = 21;  // of an interval [f, 2 f]: a relative 5e-7

}  // namespace

double strength_reaching(double wanted, const std::function<double(double strength)>& largest) {
  const auto exceeds = [&](double strength) { return largest(strength) > wanted; };
  double strength = 1;
  while (!exceeds(2 * strength)) {
    strength *= 2;
    require(strength < kLargestStrength, "displacement: expected what the warps drawn can reach at all, got ", wanted,
            "; they reach ", largest(strength));
  }
  while (exceeds(strength)) strength /= 2;
  double step = strength;
  for (int i = 0; i < kBisections; ++i) {
    step /= 2;
    if (!exceeds(strength + step)) strength += step;
  }
  return strength;
}

}  // namespace diffeo
