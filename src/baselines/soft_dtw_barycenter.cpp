#include "diffeo/soft_dtw_barycenter.hpp"

#include <algorithm>

#include "baselines/barycenter_start.hpp"
#include "baselines/lane_soft_dtw.hpp"
#include "baselines/rounds.hpp"
#include "baselines/series_checks.hpp"
#include "baselines/soft_range.hpp"
#include "diffeo/euclidean_mean.hpp"
#include "diffeo/threads.hpp"
#include "numerics/lbfgs.hpp"

namespace diffeo {
namespace {

constexpr double kNanosecondsPerSoftCell = 5;

/// The summed soft-DTW of a barycenter to all the cases, and its gradient.
class SoftCost {
 public:
  SoftCost(const Dataset& cases, std::size_t length, const SoftDtwBarycenterOptions& options, std::size_t threads)
      : cases_(cases),
        gamma_(options.gamma),
        between_(options.between),
        length_(length),
        items_((cases.cases() + LaneSoftDtw::lanes() - 1) / LaneSoftDtw::lanes()),
        values_(cases.cases()),
        gradients_(cases.cases() * cases.channels() * length) {
    const PairExtent extent{cases.channels(), length, cases.longest()};
    const double cells = static_cast<double>(cases.values().size()) * static_cast<double>(length);
    nanoseconds_per_item_ = kNanosecondsPerSoftCell * cells / static_cast<double>(items_);
    const std::size_t workers = useful_threads(threads, items_, kNanosecondsPerSoftCell * cells);
    for (std::size_t worker = 0; worker < workers; ++worker) space_.emplace_back(extent, WithGradient::kYes);
    for (std::size_t item = 0; item < cases.cases(); ++item) range_.include(cases.series(item));
  }

  double operator()(std::span<const double> barycenter, std::span<double> gradient) {
    const SeriesView<const double> center(barycenter.data(), cases_.channels(), length_);
    SoftRange range = range_;
    range.include(center);
    range.require_gamma(gamma_);
    const std::size_t lanes = LaneSoftDtw::lanes();
    for_each_item_in_rounds(space_.size(), items_, nanoseconds_per_item_, between_,
                            [&](std::size_t worker, std::size_t item) {
                              SeriesPair pairs[kernels::kMostLanes];
                              const std::size_t first = item * lanes;
                              const std::size_t used = pair_with_cases(center, cases_, first, {pairs, lanes});
                              space_[worker].run({pairs, used}, gamma_, values_.data() + first);
                              for (std::size_t k = 0; k < used; ++k) {
                                space_[worker].take_gradient(
                                    k, std::span(gradients_).subspan((first + k) * gradient.size(), gradient.size()));
                              }
                            });
    return sum(gradient);
  }

 private:
  /// Cases are added in order, whoever computed them.
  double sum(std::span<double> gradient) const {
    double value = 0;
    std::fill(gradient.begin(), gradient.end(), 0.0);
    for (std::size_t item = 0; item < cases_.cases(); ++item) {
      value += values_[item];
      for (std::size_t k = 0; k < gradient.size(); ++k) gradient[k] += gradients_[item * gradient.size() + k];
    }
    return value;
  }

  const Dataset& cases_;
  double gamma_;
  std::function<void()> between_;
  double nanoseconds_per_item_ = 0.0;
  std::size_t length_;
  std::size_t items_;
  std::vector<LaneSoftDtw> space_;
  std::vector<double> values_;
  std::vector<double> gradients_;  // (cases, channels, length)
  SoftRange range_;
};

}  // namespace

Barycenter soft_dtw_barycenter(const Dataset& cases, const SoftDtwBarycenterOptions& options, std::size_t threads) {
  require_complete(cases, "cases");
  require(options.tolerance >= 0, "tolerance: expected 0 or more, got ", options.tolerance);
  const std::size_t length = barycenter_length(cases, options.length, options.initial);
  Barycenter result{cases.channels(), options.initial, {}, 0, false};
  if (result.values.empty()) result.values = euclidean_mean(cases, length).values;
  require_complete(result.series(), "initial");
  SoftCost cost(cases, length, options, threads);
  numerics::LbfgsOptions solver;
  solver.max_iterations = options.max_iterations;
  solver.relative_decrease = options.tolerance;
  solver.gradient_limit = options.tolerance;
  if (options.progress) {
    solver.progress = [&](std::size_t iterations, double value) { options.progress({iterations, value}); };
  }
  numerics::LbfgsResult found = numerics::minimize(cost, result.values, solver);
  result.history = std::move(found.history);
  result.iterations = found.iterations;
  result.converged = found.converged;
  return result;
}

}  // namespace diffeo
