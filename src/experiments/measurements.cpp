#include "experiments/measurements.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "diffeo/error.hpp"
#include "diffeo/nearest_centroid.hpp"
#include "diffeo/prepare.hpp"
#include "diffeo/stratified.hpp"
#include "experiments/processor_time.hpp"
#include "experiments/work_cost.hpp"

namespace diffeo {
namespace {

constexpr std::array<double, 3> kGammas = {1.0, 0.1, 0.01};  // of soft-DTW; which is best depends on the scale
constexpr std::uint64_t kFoldSeed = 0;                       // the same folds for every method and seed

std::shared_ptr<WarpingAligner> network(const WorkItem& item, const EvaluationControl& control) {
  require(static_cast<bool>(control.make_network), item.method, ": expected a way to make networks, got none");
  return control.make_network({training_options(item), item.seed.value_or(0), control.threads, control.stop});
}

struct Fitted {
  NearestCentroid classifier;
  std::shared_ptr<WarpingAligner> aligner;  // null where nothing warps
};

/// The one that predicts most training series; of several the smoothest.
NearestCentroid best_soft_dtw(const Dataset& training, const NearestCentroidOptions& options) {
  std::optional<NearestCentroid> best;
  double best_score = -1.0;
  for (const double gamma : kGammas) {
    SoftDtwBarycenterOptions barycenter;
    barycenter.gamma = gamma;
    NearestCentroid classifier(barycenter, options);
    classifier.fit(training);
    const double score = classifier.score(training);
    if (score > best_score) best.emplace(std::move(classifier));
    best_score = std::max(best_score, score);
  }
  return *best;
}

Fitted fitted(const WorkItem& item, const Dataset& training, const EvaluationControl& control) {
  const std::shared_ptr<WarpingAligner> aligner = has_network(item.method) ? network(item, control) : nullptr;
  NearestCentroidOptions options;
  options.distance = item.options.contains("distance") ? CentroidDistance::dtw : CentroidDistance::euclidean;
  options.threads = control.threads;
  if (item.method == "soft-dtw") return {best_soft_dtw(training, options), nullptr};
  CentroidMethod method = MeanCentroids{};
  if (item.method == "dba") method = DbaOptions{};
  if (aligner) method = aligner;
  Fitted result = {NearestCentroid(std::move(method), options), aligner};
  result.classifier.fit(training);
  return result;
}

Fitted timed_fit(const WorkItem& item, const Dataset& training, const EvaluationControl& control, double& seconds) {
  const double start = processor_seconds();
  Fitted result = fitted(item, training, control);
  seconds += processor_seconds() - start;
  return result;
}

/// For every case, whether its class has others.
std::vector<bool> has_company(const Dataset& training) {
  std::vector<bool> result(training.cases());
  for (const std::vector<std::size_t>& cases : training.cases_by_class()) {
    for (const std::size_t item : cases) result[item] = cases.size() > 1;
  }
  return result;
}

/// Every case predicted once, by a classifier that has not seen it; but for those that are alone in their class. Where
/// the item wants fewer folds held out, the cases of the first that have any.
double cross_validated(const WorkItem& item, const Dataset& training, const EvaluationControl& control,
                       double& training_seconds) {
  require(training.labeled(), "training: expected labeled cases, got ", training.cases(), " without labels");
  const std::vector<std::size_t> folds = stratified_folds(training.labels(), item.folds, kFoldSeed);
  const std::vector<bool> can_be_held_out = has_company(training);
  double hits = 0.0;
  double predicted = 0.0;
  std::size_t turns = folds_predicted(item);
  for (std::size_t fold = 0; fold < item.folds && turns > 0; ++fold) {
    std::vector<std::size_t> seen;
    std::vector<std::size_t> held_out;
    for (std::size_t i = 0; i < folds.size(); ++i) {
      (folds[i] == fold && can_be_held_out[i] ? held_out : seen).push_back(i);
    }
    if (held_out.empty()) continue;  // more folds than cases
    --turns;
    const Fitted fit = timed_fit(item, training.subset(seen), control, training_seconds);
    const double score = fit.classifier.score(training.subset(held_out));
    hits += std::round(score * static_cast<double>(held_out.size()));
    predicted += static_cast<double>(held_out.size());
  }
  require(predicted > 0.0, "training: expected a class of at least two cases to cross-validate with, got none");
  return hits / predicted;
}

/// What the warps did to test series, beside how they are classified.
void measure_aligned(const Dataset& training, const Dataset& test, const WarpingAligner& aligner,
                     const LookAtAligned& look, Measurements& result) {
  const Dataset after = aligner.transform(test);
  const Dataset before = resample(test, after.longest());
  result.variance_before = weighted_within_variance(before);
  result.variance_after = weighted_within_variance(after);
  result.alignment = alignment_measures(aligner, test, training);
  if (look) look(before, after);
}

}  // namespace

Measurements measurements(const WorkItem& item, const Archive& archive, const EvaluationControl& control,
                          const LookAtAligned& look) {
  const Dataset training = archive.training(item.dataset);
  Measurements result;
  if (item.folds > 0) {
    result.cv_accuracy = cross_validated(item, training, control, result.training_seconds);
    return result;
  }
  const Fitted fit = timed_fit(item, training, control, result.training_seconds);
  result.train_accuracy = fit.classifier.score(training);
  const Dataset test = archive.test(item.dataset);
  result.test_accuracy = fit.classifier.score(test);
  if (fit.aligner) measure_aligned(training, test, *fit.aligner, look, result);
  return result;
}

}  // namespace diffeo
