// From values to places on an axis, and the round numbers that stand beside it.
//
//   const Scale scale = linear_scale(padded({0.2, 0.9}), {40, 360});
//   scale.at(0.5);       // pixels
//   scale.ticks(5);      // 0.2, 0.4, 0.6, 0.8
//
//   * a range without extent, or of nothing at all, is widened: every scale has ticks and no division by zero
//   * on a logarithmic scale a value that is not positive is put at the lower end
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace diffeo::figures {

struct Range {
  double low = 0.0;
  double high = 0.0;
};

/// Least and greatest of the finite values; 0 to 1 where there are none.
[[nodiscard]] Range range_of(std::span<const double> values);
/// Likewise of the positive ones; 0.1 to 1 where there are none.
[[nodiscard]] Range positive_range_of(std::span<const double> values);
/// With some air at both ends, and never empty.
[[nodiscard]] Range padded(Range range, double part = 0.05);
/// Likewise in factors, for positive ranges.
[[nodiscard]] Range padded_by_factor(Range range, double part = 0.05);

class Scale {
 public:
  Scale(Range values, Range places, bool is_logarithmic);

  [[nodiscard]] double at(double value) const;
  [[nodiscard]] std::vector<double> ticks(std::size_t about) const;
  [[nodiscard]] const Range& values() const { return values_; }
  [[nodiscard]] const Range& places() const { return places_; }

 private:
  Range values_;
  Range places_;
  bool is_logarithmic_;
};

[[nodiscard]] inline Scale linear_scale(Range values, Range places) { return {values, places, false}; }
[[nodiscard]] inline Scale logarithmic_scale(Range values, Range places) { return {values, places, true}; }

/// 0.2, 1,000, 10⁻⁵.
[[nodiscard]] std::string tick_text(double value);

}  // namespace diffeo::figures
