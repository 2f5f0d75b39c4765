#include "diffeo/dba.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "baselines/barycenter_start.hpp"
#include "baselines/lane_dtw.hpp"
#include "baselines/resampling.hpp"
#include "baselines/rounds.hpp"
#include "baselines/series_checks.hpp"
#include "diffeo/dtw.hpp"
#include "diffeo/euclidean_mean.hpp"
#include "diffeo/random.hpp"
#include "diffeo/threads.hpp"

namespace diffeo {
namespace {

constexpr double kNanosecondsPerDbaCell = 0.7;

std::size_t medoid(const Dataset& cases, const WarpingWindow& window, std::size_t threads) {
  const Matrix distances = dtw_matrix(cases, window, threads);
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t item = 0; item < cases.cases(); ++item) {
    double sum = 0;
    for (const double distance : distances.row(item)) sum += distance * distance;
    if (sum < least) {
      least = sum;
      best = item;
    }
  }
  return best;
}

std::vector<double> start_of(const Dataset& cases, const DbaOptions& options, std::size_t length, std::size_t threads) {
  if (!options.initial.empty()) return options.initial;
  if (options.start == DbaStart::kMean) return euclidean_mean(cases, length).values;
  const std::size_t item = options.start == DbaStart::kMedoid ? medoid(cases, options.window, threads)
                                                              : Random(options.seed).below(cases.cases());
  return resampled_series(cases.series(item), length);
}

/// Matches a barycenter with all the cases.
class Assignment {
 public:
  Assignment(const Dataset& cases, std::size_t length, const DbaOptions& options, std::size_t threads)
      : cases_(cases),
        window_(options.window),
        between_(options.between),
        length_(length),
        squared_(cases.cases()),
        sums_(cases.values().size()) {
    const std::size_t lanes = LaneDtw::lanes();
    items_ = (cases.cases() + lanes - 1) / lanes;
    const PairExtent extent{cases.channels(), length, cases.longest()};
    const double cells = static_cast<double>(cases.values().size()) * static_cast<double>(length);
    nanoseconds_per_item_ = kNanosecondsPerDbaCell * cells / static_cast<double>(items_);
    const std::size_t workers = useful_threads(threads, items_, kNanosecondsPerDbaCell * cells);
    for (std::size_t worker = 0; worker < workers; ++worker) space_.emplace_back(extent, WithPaths::kYes);
    sums_.assign(cases.cases() * cases.channels() * length, 0.0);
    counts_.assign(cases.cases() * length, 0.0);
  }

  /// The mean squared distance; afterwards updated() knows the samples matched.
  double match(SeriesView<const double> barycenter) {
    const std::size_t lanes = LaneDtw::lanes();
    for_each_item_in_rounds(space_.size(), items_, nanoseconds_per_item_, between_,
                            [&](std::size_t worker, std::size_t item) {
                              SeriesPair pairs[kernels::kMostLanes];
                              const std::size_t first = item * lanes;
                              const std::size_t used = pair_with_cases(barycenter, cases_, first, {pairs, lanes});
                              space_[worker].run({pairs, used}, window_, squared_.data() + first);
                              for (std::size_t k = 0; k < used; ++k) collect(space_[worker], k, first + k);
                            });
    double cost = 0;
    for (const double squared : squared_) cost += squared;
    return cost / static_cast<double>(cases_.cases());
  }

  /// Every sample the mean of those matched with it. Cases are added in order, whoever matched them.
  void update(std::vector<double>& barycenter) const {
    const std::size_t channels = cases_.channels();
    std::vector<double> count(length_, 0.0);
    std::fill(barycenter.begin(), barycenter.end(), 0.0);
    for (std::size_t item = 0; item < cases_.cases(); ++item) {
      for (std::size_t t = 0; t < length_; ++t) count[t] += counts_[item * length_ + t];
      for (std::size_t k = 0; k < barycenter.size(); ++k) barycenter[k] += sums_[item * barycenter.size() + k];
    }
    for (std::size_t c = 0; c < channels; ++c) {
      for (std::size_t t = 0; t < length_; ++t) barycenter[c * length_ + t] /= count[t];
    }
  }

 private:
  /// How many samples of a case, and what sum of them, go with each sample of the barycenter.
  void collect(const LaneDtw& lanes, std::size_t lane, std::size_t item) {
    const SeriesView<const double> series = cases_.series(item);
    double* const counts = counts_.data() + item * length_;
    double* const sums = sums_.data() + item * series.channels * length_;
    std::fill_n(counts, length_, 0.0);
    std::fill_n(sums, series.channels * length_, 0.0);
    lanes.trace(lane, [&](std::size_t i, std::size_t j) {
      counts[i] += 1;
      for (std::size_t c = 0; c < series.channels; ++c) sums[c * length_ + i] += series.data[c * series.length + j];
    });
  }

  const Dataset& cases_;
  WarpingWindow window_;
  std::function<void()> between_;
  double nanoseconds_per_item_ = 0.0;
  std::size_t length_;
  std::size_t items_ = 0;
  std::vector<LaneDtw> space_;
  std::vector<double> squared_;
  std::vector<double> sums_;    // (cases, channels, length)
  std::vector<double> counts_;  // (cases, length)
};

}  // namespace

Barycenter dba(const Dataset& cases, const DbaOptions& options, std::size_t threads) {
  require_complete(cases, "cases");
  require(options.tolerance >= 0, "tolerance: expected 0 or more, got ", options.tolerance);
  static_cast<void>(radius_of(options.window, 1, 1));
  const std::size_t length = barycenter_length(cases, options.length, options.initial);
  Barycenter result{cases.channels(), start_of(cases, options, length, threads), {}, 0, false};
  require_complete(result.series(), "initial");
  Assignment assignment(cases, length, options, threads);
  double cost = assignment.match(result.series());
  result.history.push_back(cost);
  while (result.iterations < options.max_iterations && !result.converged) {
    assignment.update(result.values);
    ++result.iterations;
    const double next = assignment.match(result.series());
    result.history.push_back(next);
    if (options.progress) options.progress({result.iterations, next});
    result.converged = std::fabs(cost - next) < options.tolerance;
    if (next > cost) break;
    cost = next;
  }
  return result;
}

}  // namespace diffeo
