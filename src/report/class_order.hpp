// Classes in an order that the order of the series does not change: the same classes have the same places, and the same
// colors, in the page of every file.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "data/number_text.hpp"
#include "diffeo/dataset.hpp"
#include "diffeo/report.hpp"

namespace diffeo::report {

/// Numbers by their value, then words by their letters.
[[nodiscard]] inline bool comes_before(const std::string& one, const std::string& other) {
  const auto number_of = [](const std::string& name) {
    const std::optional<double> number = files::number_in(name);
    return number && std::isfinite(*number) ? number : std::nullopt;
  };
  const std::optional<double> first = number_of(one);
  const std::optional<double> second = number_of(other);
  if (first && second && *first != *second) return *first < *second;
  if (first.has_value() != second.has_value()) return first.has_value();
  return one < other;
}

/// Which color a class has: its place among the classes of the series and of the centroids.
class ClassColors {
 public:
  ClassColors(const ReportFigures& figures, const Dataset& centroids) {
    for (const ReportGroup& group : figures.groups) names_.push_back(group.name);
    for (std::size_t item = 0; centroids.labeled() && item < centroids.cases(); ++item) {
      names_.push_back(centroids.label(item));
    }
    std::ranges::sort(names_, comes_before);
    const auto repeated = std::ranges::unique(names_);
    names_.erase(repeated.begin(), repeated.end());
  }

  [[nodiscard]] std::size_t of(const std::string& name) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(names_, name, comes_before) - names_.begin());
  }

 private:
  std::vector<std::string> names_;
};

}  // namespace diffeo::report
