#include "diffeo/nearest_centroid.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "classify/class_centroids.hpp"
#include "classify/squared_differences.hpp"
#include "diffeo/dtw.hpp"
#include "diffeo/error.hpp"
#include "diffeo/prepare.hpp"

namespace diffeo {
namespace {

/// Series that are aligned and compared together: predicting takes memory for these, however many there are.
constexpr std::size_t kSeriesAtOnce = 1024;
/// Cells of the dtw tables that are filled between two calls of `between`, by one thread: about a fifth of a second.
constexpr double kCellsBetweenCalls = 1e8;

void require_method(const CentroidMethod& method) {
  if (const auto* aligner = std::get_if<std::shared_ptr<Aligner>>(&method)) {
    require(*aligner != nullptr, "aligner: expected one, got none");
  }
  const auto* dba = std::get_if<DbaOptions>(&method);
  const auto* soft = std::get_if<SoftDtwBarycenterOptions>(&method);
  const std::size_t given = dba ? dba->initial.size() : soft ? soft->initial.size() : 0;
  require(given == 0, "initial: expected none, because every class has a start of its own, got ", given, " values");
}

void require_no_infinity(const Dataset& set) {
  for (std::size_t item = 0; item < set.cases(); ++item) {
    for (const double value : set.series(item).values()) {
      require(!std::isinf(value), "case ", item, ": expected finite or missing values, got ", value);
    }
  }
}

void require_centroids(const Dataset& centroids) {
  require(!centroids.empty(), "centroids: expected at least one, got none");
  require(centroids.labeled(), "centroids: expected a label each, got ", centroids.cases(), " without labels");
  require(centroids.equally_long(), "centroids: expected all equally long, got ", centroids.shortest(), " to ",
          centroids.longest(), " time steps");
  const std::size_t classes = centroids.class_names().size();
  bool one_each = classes == centroids.cases();
  for (std::size_t item = 0; one_each && item < classes; ++item) one_each = centroids.labels()[item] == item;
  require(one_each, "centroids: expected one of every class, in the order of the classes, got ", centroids.cases(),
          " of ", classes, " classes");
  require_no_infinity(centroids);
}

/// The distance in which the centroids are averages.
CentroidDistance natural_distance(const CentroidMethod& method) {
  const bool is_dtw =
      std::holds_alternative<DbaOptions>(method) || std::holds_alternative<SoftDtwBarycenterOptions>(method);
  return is_dtw ? CentroidDistance::dtw : CentroidDistance::euclidean;
}

/// A row for each series, made by `rows_of` for `at_once` of them at a time.
template <class RowsOf>
Matrix rows_in_parts(const Dataset& series, std::size_t columns, std::size_t at_once, const RowsOf& rows_of) {
  Matrix rows(series.cases(), columns);
  for (std::size_t first = 0; first < series.cases(); first += at_once) {
    std::vector<std::size_t> items(std::min(at_once, series.cases() - first));
    std::iota(items.begin(), items.end(), first);
    const Matrix some = rows_of(series.subset(items));
    std::ranges::copy(some.values(), rows.values().begin() + static_cast<std::ptrdiff_t>(first * columns));
  }
  return rows;
}

/// Where the least distance is first found.
std::size_t nearest(std::span<const double> distances, std::size_t item) {
  const auto least = std::min_element(distances.begin(), distances.end());
  require(std::isfinite(*least), "case ", item, ": expected a sample in common with a centroid, got none");
  return static_cast<std::size_t>(least - distances.begin());
}

/// Squared distances to weights that sum to 1.
void weigh(std::span<const double> distances, std::size_t best, double spread, std::span<double> weights) noexcept {
  double sum = 0;
  for (std::size_t k = 0; k < distances.size(); ++k) {
    const double excess = distances[k] - distances[best];
    weights[k] = spread > 0 ? std::exp(-excess / (2 * spread)) : (k == best ? 1.0 : 0.0);
    sum += weights[k];
  }
  for (double& weight : weights) weight /= sum;
}

}  // namespace

NearestCentroid::NearestCentroid(CentroidMethod method, NearestCentroidOptions options)
    : method_(std::move(method)), options_(std::move(options)) {
  require_method(method_);
  if (!options_.distance) options_.distance = natural_distance(method_);
}

NearestCentroid NearestCentroid::from_centroids(Dataset centroids, std::shared_ptr<Aligner> aligner,
                                                NearestCentroidOptions options, std::optional<double> spread) {
  require_centroids(centroids);
  require(!spread || (std::isfinite(*spread) && *spread >= 0.0), "spread: expected 0 or more, got ",
          spread.value_or(0.0));
  NearestCentroid classifier(aligner ? CentroidMethod(std::move(aligner)) : CentroidMethod(MeanCentroids{}), options);
  if (classifier.aligner() == nullptr) classifier.channels_ = centroids.channels();
  classifier.compared_centroids_ = centroids;
  classifier.centroids_ = std::move(centroids);
  classifier.spread_ = spread;
  return classifier;
}

void NearestCentroid::fit(const Dataset& training) {
  require(!training.empty(), "training: expected at least one case, got none");
  require(training.labeled(), "training: expected labeled cases, got ", training.cases(), " without labels");
  require_no_infinity(training);
  if (const auto* held = std::get_if<std::shared_ptr<Aligner>>(&method_)) (*held)->fit(training);
  const Dataset together = compared(training);
  compared_centroids_ = classify::class_centroids(together, method_, options_.threads);
  centroids_ = aligner() == nullptr
                   ? compared_centroids_
                   : classify::class_centroids(aligner()->transform(training), method_, options_.threads);
  channels_ = training.channels();
  spread_ = spread_of(together);
}

void NearestCentroid::require_fitted() const {
  require(!centroids_.empty(), "NearestCentroid: expected a call of fit before any other, got none");
}

const Dataset& NearestCentroid::centroids() const {
  require_fitted();
  return centroids_;
}

const Aligner* NearestCentroid::aligner() const noexcept {
  const auto* const held = std::get_if<std::shared_ptr<Aligner>>(&method_);
  return held == nullptr ? nullptr : held->get();
}

Dataset NearestCentroid::compared(const Dataset& series) const {
  return aligner() == nullptr ? series : aligner()->comparison(series);
}

Matrix NearestCentroid::distances_of_compared(const Dataset& series) const {
  require(series.channels() == compared_centroids_.channels(), "centroids: expected ", series.channels(),
          series.channels() == 1 ? " channel" : " channels", " as what is compared has, got ",
          compared_centroids_.channels());
  if (options_.distance == CentroidDistance::euclidean) {
    return classify::mean_squared_differences(resample(series, compared_centroids_.longest()), compared_centroids_,
                                              options_.threads);
  }
  Matrix distances = dtw_distances(series);
  for (double& distance : distances.values()) distance *= distance;
  return distances;
}

/// All at a time, or as many as `between` can wait for.
Matrix NearestCentroid::dtw_distances(const Dataset& series) const {
  const auto distances_of = [&](const Dataset& some) {
    return dtw_matrix(some, compared_centroids_, options_.window, options_.threads);
  };
  const double cells = static_cast<double>(series.longest()) * static_cast<double>(compared_centroids_.longest()) *
                       static_cast<double>(compared_centroids_.cases());
  const auto at_once = static_cast<std::size_t>(std::max(1.0, kCellsBetweenCalls / std::max(1.0, cells)));
  if (!options_.between || series.cases() <= at_once) return distances_of(series);
  return rows_in_parts(series, compared_centroids_.cases(), at_once, [&](const Dataset& some) {
    options_.between();
    return distances_of(some);
  });
}

double NearestCentroid::spread_of(const Dataset& training) const {
  const Matrix distances = distances_of_compared(training);
  double sum = 0;
  std::size_t count = 0;
  std::size_t number = 0;  // of the centroid: classes without cases have none
  for (const std::vector<std::size_t>& items : training.cases_by_class()) {
    for (const std::size_t item : items) {
      if (!std::isfinite(distances(item, number))) continue;  // nothing but missing values
      sum += distances(item, number);
      ++count;
    }
    number += items.empty() ? 0 : 1;
  }
  return count == 0 ? 0.0 : sum / static_cast<double>(count);
}

Matrix NearestCentroid::squared_distances(const Dataset& series) const {
  require_fitted();
  require(!channels_ || series.channels() == *channels_, "series: expected ", channels_.value_or(0),
          channels_ == 1 ? " channel" : " channels", " as in training, got ", series.channels());
  require_no_infinity(series);
  return rows_in_parts(series, centroids_.cases(), kSeriesAtOnce,
                       [&](const Dataset& some) { return distances_of_compared(compared(some)); });
}

std::vector<std::size_t> NearestCentroid::predict(const Dataset& series) const {
  const Matrix distances = squared_distances(series);
  std::vector<std::size_t> numbers(series.cases());
  for (std::size_t item = 0; item < numbers.size(); ++item) numbers[item] = nearest(distances.row(item), item);
  return numbers;
}

Matrix NearestCentroid::probabilities(const Dataset& series) const {
  const Matrix distances = squared_distances(series);
  require(spread_.has_value(), "NearestCentroid: expected a call of fit before probabilities, got centroids alone");
  Matrix result(distances.rows(), distances.columns());
  for (std::size_t item = 0; item < distances.rows(); ++item) {
    const auto weights = result.values().subspan(item * result.columns(), result.columns());
    weigh(distances.row(item), nearest(distances.row(item), item), *spread_, weights);
  }
  return result;
}

double NearestCentroid::score(const Dataset& series) const {
  require(!series.empty(), "series: expected at least one case, got none");
  require(series.labeled(), "series: expected labeled cases, got ", series.cases(), " without labels");
  const std::vector<std::size_t> predicted = predict(series);
  std::size_t hits = 0;
  for (std::size_t item = 0; item < series.cases(); ++item) {
    if (class_names()[predicted[item]] == series.label(item)) ++hits;
  }
  return static_cast<double>(hits) / static_cast<double>(series.cases());
}

}  // namespace diffeo
