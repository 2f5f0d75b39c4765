#include "diffeo/prepare.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "diffeo/error.hpp"
#include "diffeo/sample.hpp"

namespace diffeo {
namespace {

/// Calls work(item, channel, values) for every channel of every case.
template <class Work>
void for_each_channel(Dataset& set, const Work& work) {
  for (std::size_t item = 0; item < set.cases(); ++item) {
    const SeriesView<double> series = set.series(item);
    for (std::size_t channel = 0; channel < series.channels; ++channel) work(item, channel, series.channel(channel));
  }
}

struct Range {
  double least = std::numeric_limits<double>::infinity();
  double greatest = -std::numeric_limits<double>::infinity();

  [[nodiscard]] bool empty() const noexcept { return least > greatest; }
};

Range range_of(std::span<const double> values) noexcept {
  Range range;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    range.least = std::min(range.least, value);
    range.greatest = std::max(range.greatest, value);
  }
  return range;
}

/// Applies `change` to every value present.
template <class Change>
void change_present(std::span<double> values, const Change& change) noexcept {
  for (double& value : values) {
    if (!std::isnan(value)) value = change(value);
  }
}

template <class Function>
double mean_over_present(std::span<const double> values, const Function& function) noexcept {
  double sum = 0;
  std::size_t count = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    sum += function(value);
    ++count;
  }
  return sum / static_cast<double>(count);
}

/// Not for constant channels.
void normalize(std::span<double> values, const Range& range) noexcept {
  // By a power of two, which rounds nothing, to where neither sums nor squares can overflow or vanish.
  const int exponent = std::ilogb(std::max(std::fabs(range.least), std::fabs(range.greatest)));
  change_present(values, [&](double value) { return std::scalbn(value, -exponent); });
  const double mean = mean_over_present(values, [](double value) { return value; });
  change_present(values, [&](double value) { return value - mean; });
  const double deviation = std::sqrt(mean_over_present(values, [](double value) { return value * value; }));
  change_present(values, [&](double value) { return value / deviation; });
}

/// Fills values strictly between two present ones.
void interpolate_between(std::span<double> values, std::size_t left, std::size_t right) noexcept {
  const double steps = static_cast<double>(right - left);
  for (std::size_t j = left + 1; j < right; ++j) {
    const double share = static_cast<double>(j - left) / steps;
    values[j] = values[left] * (1 - share) + values[right] * share;
  }
}

/// Not for channels without any value.
void fill(std::span<double> values) noexcept {
  const auto is_present = [](double value) { return !std::isnan(value); };
  const auto first_present = std::find_if(values.begin(), values.end(), is_present);
  std::fill(values.begin(), first_present, *first_present);
  std::size_t last = static_cast<std::size_t>(first_present - values.begin());
  for (std::size_t j = last + 1; j < values.size(); ++j) {
    if (std::isnan(values[j])) continue;
    interpolate_between(values, last, j);
    last = j;
  }
  std::fill(values.begin() + static_cast<std::ptrdiff_t>(last) + 1, values.end(), values[last]);
}

}  // namespace

Dataset z_normalize(const Dataset& set) {
  Dataset result = set;
  for_each_channel(result, [](std::size_t item, std::size_t channel, std::span<double> values) {
    const Range range = range_of(values);
    if (range.empty()) return;
    require(std::isfinite(range.least) && std::isfinite(range.greatest), "case ", item, ", channel ", channel,
            ": expected finite or missing values, got ", std::isfinite(range.least) ? range.greatest : range.least);
    if (range.least == range.greatest) {
      change_present(values, [](double) { return 0.0; });
    } else {
      normalize(values, range);
    }
  });
  return result;
}

Dataset resample(const Dataset& set, std::size_t length) {
  require(length > 0, "length: expected at least 1 time step, got 0");
  std::vector<double> positions(length, 0.0);
  for (std::size_t j = 1; j < length; ++j) positions[j] = static_cast<double>(j) / static_cast<double>(length - 1);
  std::vector<double> values(set.cases() * set.channels() * length);
  for (std::size_t item = 0; item < set.cases(); ++item) {
    const SeriesView<const double> series = set.series(item);
    sample<double>({{series.data, 1, series.channels, series.length}, std::span<const double>(positions)},
                   {values.data() + item * set.channels() * length, 1, set.channels(), length}, 1);
  }
  Dataset result(Series<const double>(values.data(), set.cases(), set.channels(), length));
  for (const std::string& name : set.class_names()) result.declare_class(name);
  if (set.labeled()) result.set_labels({set.labels().begin(), set.labels().end()}, set.class_names());
  return result;
}

Dataset fill_missing(const Dataset& set) {
  Dataset result = set;
  for_each_channel(result, [](std::size_t item, std::size_t channel, std::span<double> values) {
    require(!range_of(values).empty(), "case ", item, ", channel ", channel,
            ": expected at least one value to fill the missing ones from, got none");
    fill(values);
  });
  return result;
}

}  // namespace diffeo
