#include "diffeo/euclidean_mean.hpp"

#include <cmath>
#include <limits>

#include "baselines/resampling.hpp"
#include "diffeo/error.hpp"

namespace diffeo {

Barycenter euclidean_mean(const Dataset& cases, std::size_t length) {
  require(!cases.empty(), "cases: expected at least one, got none");
  if (length == 0) length = cases.longest();
  std::vector<std::vector<double>> series;
  for (std::size_t item = 0; item < cases.cases(); ++item) {
    series.push_back(resampled_series(cases.series(item), length));
  }
  Barycenter result{cases.channels(), std::vector<double>(cases.channels() * length), {}, 0, true};
  double cost = 0;
  for (std::size_t k = 0; k < result.values.size(); ++k) {
    double sum = 0, count = 0, squares = 0;
    for (const std::vector<double>& values : series) {
      if (std::isnan(values[k])) continue;
      sum += values[k];
      ++count;
    }
    const double mean = count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
    for (const std::vector<double>& values : series) {
      if (!std::isnan(values[k])) squares += (values[k] - mean) * (values[k] - mean);
    }
    result.values[k] = mean;
    cost += squares;
  }
  result.history = {cost / static_cast<double>(cases.cases())};
  return result;
}

}  // namespace diffeo
