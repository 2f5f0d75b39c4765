// The Texas sharpshooter: can one tell beforehand on which data sets a method will be better?
//
// He fires at a barn and paints the target around the holes. Whoever reports that a method is better on some data sets
// does the same, unless the training data alone say on which. So two gains over a baseline are compared for every data
// set:
//     expected gain = accuracy of the method / accuracy of the baseline, by cross-validation within the training set
//     actual gain   = the same ratio on the test set
//
//   true positive    a gain was expected, and came
//   true negative    none was expected, and none came: one would have used the baseline
//   false negative   none was expected, but one came: a missed chance
//   false positive   a gain was expected, and did not come: the painful one
//
//   const Sharpshooter shots = sharpshooter(names, euclidean_by_cross_validation, euclidean_on_test,
//                                           diffeo_by_cross_validation, diffeo_on_test);
//   shots.counts[static_cast<std::size_t>(SharpshooterRegion::false_positive)]
//
//   * a gain is a ratio above 1; exactly 1 is none
//   * data sets on which the baseline has no case right, expected or actual, have no ratio and are left out
//   * std::invalid_argument for different lengths and for accuracies that are negative or not finite
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace diffeo {

enum class SharpshooterRegion { true_positive, true_negative, false_positive, false_negative };

struct SharpshooterPoint {
  std::string dataset = {};
  double expected_gain = 1.0;
  double actual_gain = 1.0;
  SharpshooterRegion region = SharpshooterRegion::true_negative;
};

struct Sharpshooter {
  std::vector<SharpshooterPoint> points = {};  ///< in the order given
  std::array<std::size_t, 4> counts = {};      ///< by region, in the order of SharpshooterRegion
};

[[nodiscard]] Sharpshooter sharpshooter(std::span<const std::string> datasets,
                                        std::span<const double> baseline_expected,
                                        std::span<const double> baseline_actual,
                                        std::span<const double> method_expected, std::span<const double> method_actual);

}  // namespace diffeo
