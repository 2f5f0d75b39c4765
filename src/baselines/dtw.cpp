#include "diffeo/dtw.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "baselines/lane_dtw.hpp"
#include "baselines/series_checks.hpp"
#include "diffeo/threads.hpp"

namespace diffeo {
namespace {

constexpr double kNanosecondsPerCell = 0.5;

void require_pair(const SeriesPair& pair, const WarpingWindow& window) {
  require_complete(pair.first, "first");
  require_complete(pair.second, "second");
  require_same_channels(pair.first.channels, pair.second.channels);
  static_cast<void>(radius_of(window, pair.first.length, pair.second.length));
}

/// The numbers of the cases, shortest first: neighbors have similar lengths, and lanes little to fill up.
std::vector<std::size_t> by_length(const Dataset& cases) {
  std::vector<std::size_t> order(cases.cases());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return cases.length(a) < cases.length(b); });
  return order;
}

struct Place {
  std::size_t row;
  std::size_t column;
};

/// Squared distances of `count` pairs, `place(k)` naming the k-th; `put(place, squared)` takes them.
template <class PlaceOf, class Put>
void for_each_pair(const Dataset& rows, const Dataset& columns, const WarpingWindow& window, std::size_t threads,
                   std::size_t count, PlaceOf place_of, Put put) {
  const std::size_t lanes = LaneDtw::lanes();
  const std::size_t items = (count + lanes - 1) / lanes;
  const PairExtent extent{rows.channels(), rows.longest(), columns.longest()};
  const double cells = static_cast<double>(count) * static_cast<double>(extent.first_length) *
                       static_cast<double>(extent.second_length) * static_cast<double>(extent.channels);
  const std::size_t workers = useful_threads(threads, items, kNanosecondsPerCell * cells);
  std::vector<LaneDtw> space;
  for (std::size_t worker = 0; worker < workers; ++worker) space.emplace_back(extent, WithPaths::kNo);
  for_each_item(workers, items, [&](std::size_t worker, std::size_t item) {
    SeriesPair pairs[kernels::kMostLanes];
    Place places[kernels::kMostLanes];
    double squared[kernels::kMostLanes];
    const std::size_t used = std::min(lanes, count - item * lanes);
    for (std::size_t k = 0; k < used; ++k) {
      places[k] = place_of(item * lanes + k);
      pairs[k] = {rows.series(places[k].row), columns.series(places[k].column)};
    }
    space[worker].run({pairs, used}, window, squared);
    for (std::size_t k = 0; k < used; ++k) put(places[k], squared[k]);
  });
}

/// Pairs of different cases, numbered along the rows of the triangle above the diagonal.
class Triangle {
 public:
  explicit Triangle(std::size_t cases) : first_of_row_(cases + 1, 0) {
    for (std::size_t row = 0; row < cases; ++row) first_of_row_[row + 1] = first_of_row_[row] + (cases - 1 - row);
  }
  [[nodiscard]] std::size_t pairs() const noexcept { return first_of_row_.back(); }
  [[nodiscard]] Place operator()(std::size_t pair) const noexcept {
    const auto after = std::upper_bound(first_of_row_.begin(), first_of_row_.end(), pair);
    const auto row = static_cast<std::size_t>(after - first_of_row_.begin()) - 1;
    return {row, row + 1 + (pair - first_of_row_[row])};
  }

 private:
  std::vector<std::size_t> first_of_row_;
};

}  // namespace

double dtw(SeriesView<const double> first, SeriesView<const double> second, const WarpingWindow& window) {
  const SeriesPair pair{first, second};
  require_pair(pair, window);
  double squared;
  LaneDtw(extent_of(pair), WithPaths::kNo).run({&pair, 1}, window, &squared);
  return std::sqrt(squared);
}

WarpingPath dtw_path(SeriesView<const double> first, SeriesView<const double> second, const WarpingWindow& window) {
  const SeriesPair pair{first, second};
  require_pair(pair, window);
  LaneDtw lanes(extent_of(pair), WithPaths::kYes);
  WarpingPath path;
  lanes.run({&pair, 1}, window, &path.distance);
  path.distance = std::sqrt(path.distance);
  lanes.trace(0, [&](std::size_t i, std::size_t j) { path.steps.push_back({i, j}); });
  std::reverse(path.steps.begin(), path.steps.end());
  return path;
}

Matrix dtw_matrix(const Dataset& cases, const WarpingWindow& window, std::size_t threads) {
  require_complete(cases, "cases");
  static_cast<void>(radius_of(window, 1, 1));
  Matrix result(cases.cases(), cases.cases());
  const std::vector<std::size_t> order = by_length(cases);
  const Triangle triangle(cases.cases());
  for_each_pair(
      cases, cases, window, threads, triangle.pairs(),
      [&](std::size_t pair) {
        const Place place = triangle(pair);
        return Place{order[place.row], order[place.column]};
      },
      [&](Place place, double squared) {
        result(place.row, place.column) = result(place.column, place.row) = std::sqrt(squared);
      });
  return result;
}

Matrix dtw_matrix(const Dataset& rows, const Dataset& columns, const WarpingWindow& window, std::size_t threads) {
  require_complete(rows, "rows");
  require_complete(columns, "columns");
  require_same_channels(rows.channels(), columns.channels());
  static_cast<void>(radius_of(window, 1, 1));
  Matrix result(rows.cases(), columns.cases());
  const std::vector<std::size_t> row_order = by_length(rows);
  const std::vector<std::size_t> column_order = by_length(columns);
  for_each_pair(
      rows, columns, window, threads, rows.cases() * columns.cases(),
      [&](std::size_t pair) {
        return Place{row_order[pair / columns.cases()], column_order[pair % columns.cases()]};
      },
      [&](Place place, double squared) { result(place.row, place.column) = std::sqrt(squared); });
  return result;
}

}  // namespace diffeo
