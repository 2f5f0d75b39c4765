#include "statistics/value_checks.hpp"

#include <cmath>
#include <cstddef>

#include "diffeo/error.hpp"

namespace diffeo::statistics {

void require_finite_values(std::span<const double> values, std::string_view name) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    require(std::isfinite(values[i]), name, ": expected finite values, got ", values[i], " at ", i);
  }
}

void require_pairs(std::span<const double> first, std::span<const double> second) {
  require(first.size() == second.size(), "second: expected ", first.size(), " values as in first, got ", second.size());
  require_finite_values(first, "first");
  require_finite_values(second, "second");
}

void require_complete(const ScoreTable& table) {
  require(!table.methods.empty(), "methods: expected at least one, got none");
  require(!table.datasets.empty(), "datasets: expected at least one, got none");
  require(table.scores.size() == table.datasets.size(), "scores: expected ", table.datasets.size(),
          " rows, one per data set, got ", table.scores.size());
  for (std::size_t row = 0; row < table.scores.size(); ++row) {
    require(table.scores[row].size() == table.methods.size(), "scores of ", table.datasets[row], ": expected ",
            table.methods.size(), ", one per method, got ", table.scores[row].size());
    require_finite_values(table.scores[row], message("scores of ", table.datasets[row]));
  }
}

void require_method(const ScoreTable& table, std::size_t method) {
  require(method < table.methods.size(), "method: expected a number below ", table.methods.size(), ", got ", method);
}

void require_level(double level) {
  require(level > 0.0 && level < 1.0, "level: expected a number between 0 and 1, got ", level);
}

}  // namespace diffeo::statistics
