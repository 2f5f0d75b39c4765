#include "diffeo/statistics/sharpshooter.hpp"

#include <cmath>
#include <string_view>

#include "diffeo/error.hpp"

namespace diffeo {
namespace {

void require_accuracies(std::span<const double> accuracies, std::size_t count, std::string_view name) {
  require(accuracies.size() == count, name, ": expected ", count, " accuracies, one per data set, got ",
          accuracies.size());
  for (const double accuracy : accuracies) {
    require(std::isfinite(accuracy) && accuracy >= 0.0, name, ": expected accuracies, got ", accuracy);
  }
}

SharpshooterRegion region_of(double expected_gain, double actual_gain) {
  const bool came = actual_gain > 1.0;
  if (expected_gain > 1.0) return came ? SharpshooterRegion::true_positive : SharpshooterRegion::false_positive;
  return came ? SharpshooterRegion::false_negative : SharpshooterRegion::true_negative;
}

}  // namespace

Sharpshooter sharpshooter(std::span<const std::string> datasets, std::span<const double> baseline_expected,
                          std::span<const double> baseline_actual, std::span<const double> method_expected,
                          std::span<const double> method_actual) {
  require_accuracies(baseline_expected, datasets.size(), "baseline_expected");
  require_accuracies(baseline_actual, datasets.size(), "baseline_actual");
  require_accuracies(method_expected, datasets.size(), "method_expected");
  require_accuracies(method_actual, datasets.size(), "method_actual");
  Sharpshooter shots;
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    if (baseline_expected[i] == 0.0 || baseline_actual[i] == 0.0) continue;
    SharpshooterPoint point;
    point.dataset = datasets[i];
    point.expected_gain = method_expected[i] / baseline_expected[i];
    point.actual_gain = method_actual[i] / baseline_actual[i];
    point.region = region_of(point.expected_gain, point.actual_gain);
    ++shots.counts[static_cast<std::size_t>(point.region)];
    shots.points.push_back(point);
  }
  return shots;
}

}  // namespace diffeo
