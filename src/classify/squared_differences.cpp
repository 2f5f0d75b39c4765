#include "classify/squared_differences.hpp"

#include <cmath>
#include <limits>
#include <span>

#include "diffeo/threads.hpp"

namespace diffeo::classify {
namespace {

constexpr double kNanosecondsPerValue = 1;

double mean_squared_difference(std::span<const double> first, std::span<const double> second) noexcept {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t j = 0; j < first.size(); ++j) {
    const double difference = first[j] - second[j];
    const bool is_present = !std::isnan(difference);
    sum += is_present ? difference * difference : 0.0;
    count += is_present;
  }
  return count == 0 ? std::numeric_limits<double>::infinity() : sum / static_cast<double>(count);
}

}  // namespace

Matrix mean_squared_differences(const Dataset& rows, const Dataset& columns, std::size_t threads) {
  Matrix result(rows.cases(), columns.cases());
  const double work = kNanosecondsPerValue * static_cast<double>(rows.values().size() * columns.cases());
  for_each_item(useful_threads(threads, rows.cases(), work), rows.cases(), [&](std::size_t, std::size_t item) {
    for (std::size_t other = 0; other < columns.cases(); ++other) {
      result(item, other) = mean_squared_difference(rows.series(item).values(), columns.series(other).values());
    }
  });
  return result;
}

}  // namespace diffeo::classify
