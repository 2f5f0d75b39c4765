#include "figures/scale.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "figures/figure_text.hpp"

namespace diffeo::figures {
namespace {

constexpr double kSlack = 1e-9;  // of a step: a tick at the very end of a range belongs to it

std::vector<double> linear_ticks(Range range, std::size_t about) {
  const double rough = (range.high - range.low) / static_cast<double>(std::max<std::size_t>(about, 1));
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10.0 * power;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * power >= rough * 0.999) step = factor * power;
  }
  std::vector<double> ticks;
  const double last = std::floor(range.high / step + kSlack);
  for (double index = std::ceil(range.low / step - kSlack); index <= last; ++index) ticks.push_back(index * step);
  return ticks;
}

/// Multiples of the powers of ten within the range.
std::vector<double> decade_ticks(Range range, std::span<const double> factors, int stride) {
  std::vector<double> ticks;
  const int last = static_cast<int>(std::floor(std::log10(range.high) + kSlack));
  for (int power = static_cast<int>(std::floor(std::log10(range.low))); power <= last; ++power) {
    if (power % stride != 0) continue;
    for (const double factor : factors) {
      const double tick = factor * std::pow(10.0, power);
      if (tick >= range.low * (1.0 - kSlack) && tick <= range.high * (1.0 + kSlack)) ticks.push_back(tick);
    }
  }
  return ticks;
}

std::vector<double> logarithmic_ticks(Range range, std::size_t about) {
  constexpr std::array<double, 1> tens = {1.0};
  constexpr std::array<double, 3> halves = {1.0, 2.0, 5.0};
  const double decades = std::log10(range.high / range.low);
  const int stride =
      std::max(1, static_cast<int>(std::ceil(decades / static_cast<double>(std::max<std::size_t>(about, 1)))));
  std::vector<double> ticks = decade_ticks(range, tens, stride);
  if (decades < 2.5) ticks = decade_ticks(range, halves, 1);
  return ticks.size() < 2 ? linear_ticks(range, about) : ticks;
}

std::string superscript(int number) {
  constexpr std::array<std::string_view, 10> digits = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = number < 0 ? "⁻" : "";
  for (const char digit : std::to_string(std::abs(number))) text += digits[static_cast<std::size_t>(digit - '0')];
  return text;
}

/// The exponent of a power of ten that is too long to be written out; 0 for other numbers.
int long_power_of_ten(double value) {
  if (!(value > 0.0)) return 0;
  const double power = std::round(std::log10(value));
  const bool is_power = std::abs(std::pow(10.0, power) / value - 1.0) < kSlack;
  return is_power && (power < -3.0 || power > 5.0) ? static_cast<int>(power) : 0;
}

std::string with_groups(std::string digits) {
  for (std::size_t place = digits.size(); place > 3; place -= 3) digits.insert(place - 3, 1, ',');
  return digits;
}

Range extremes(std::span<const double> values, bool only_positive, Range otherwise) {
  Range range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const double value : values) {
    if (!std::isfinite(value) || (only_positive && !(value > 0.0))) continue;
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  }
  return range.low <= range.high ? range : otherwise;
}

}  // namespace

Range range_of(std::span<const double> values) { return extremes(values, false, {0.0, 1.0}); }

Range positive_range_of(std::span<const double> values) { return extremes(values, true, {0.1, 1.0}); }

Range padded(Range range, double part) {
  const double extent = range.high - range.low;
  const double around = range.low == 0.0 ? 1.0 : std::abs(range.low) * 0.1;
  const double air = extent > 0.0 ? extent * part : around;
  return {range.low - air, range.high + air};
}

Range padded_by_factor(Range range, double part) {
  const double decades = std::log10(range.high / range.low);
  const double factor = decades > 0.0 ? std::pow(10.0, decades * part) : 2.0;
  return {range.low / factor, range.high * factor};
}

Scale::Scale(Range values, Range places, bool is_logarithmic)
    : values_(values), places_(places), is_logarithmic_(is_logarithmic) {
  if (is_logarithmic_ && !(values_.low > 0.0)) values_ = {0.1, std::max(1.0, values_.high)};
  if (!(values_.high > values_.low)) values_ = is_logarithmic_ ? padded_by_factor(values_) : padded(values_);
}

double Scale::at(double value) const {
  double part = (value - values_.low) / (values_.high - values_.low);
  if (is_logarithmic_) {
    part = value > 0.0 ? std::log(value / values_.low) / std::log(values_.high / values_.low) : 0.0;
  }
  return places_.low + part * (places_.high - places_.low);
}

std::vector<double> Scale::ticks(std::size_t about) const {
  return is_logarithmic_ ? logarithmic_ticks(values_, about) : linear_ticks(values_, about);
}

std::string tick_text(double value) {
  if (const int power = long_power_of_ten(value); power != 0) return "10" + superscript(power);
  const bool is_whole = value == std::round(value) && value >= 1000.0 && value < 1e6;
  return is_whole ? with_groups(std::to_string(static_cast<long long>(value))) : shown_number(value, 4);
}

}  // namespace diffeo::figures
