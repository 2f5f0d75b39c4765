#include "diffeo/statistics/reachable_accuracy.hpp"

#include <algorithm>
#include <cmath>

#include "diffeo/error.hpp"

namespace diffeo {
namespace {

constexpr double kRoundoff = 1e-12;  // of a quotient of counts, and of a figure read from text

}  // namespace

bool is_reachable_accuracy(double accuracy, std::size_t cases, std::size_t digits) {
  require(cases > 0, "cases: expected at least one, got none");
  const auto count = static_cast<double>(cases);
  const double nearest = std::clamp(std::round(accuracy * count), 0.0, count) / count;
  const double half_a_unit = 0.5 * std::pow(10.0, -static_cast<double>(digits));
  return std::abs(accuracy - nearest) <= half_a_unit + kRoundoff;
}

}  // namespace diffeo
