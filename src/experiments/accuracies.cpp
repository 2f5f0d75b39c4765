#include "experiments/accuracies.hpp"

#include <cmath>
#include <utility>

#include "diffeo/error.hpp"
#include "diffeo/nearest_centroid.hpp"
#include "diffeo/stratified.hpp"
#include "experiments/work_cost.hpp"

namespace diffeo {
namespace {

constexpr std::uint64_t kFoldSeed = 0;  // the same folds for every method and seed

std::shared_ptr<Aligner> network(const WorkItem& item, const EvaluationControl& control) {
  require(static_cast<bool>(control.make_network), item.method, ": expected a way to make networks, got none");
  return control.make_network({training_options(item), item.seed.value_or(0), control.threads, control.stop});
}

CentroidMethod centroid_method(const WorkItem& item, const EvaluationControl& control) {
  if (item.method == "euclidean") return MeanCentroids{};
  if (item.method == "dba") return DbaOptions{};
  if (item.method == "soft-dtw") return SoftDtwBarycenterOptions{};
  return network(item, control);
}

NearestCentroid fitted(const WorkItem& item, const Dataset& training, const EvaluationControl& control) {
  NearestCentroidOptions options;
  options.distance = item.options.contains("distance") ? CentroidDistance::dtw : CentroidDistance::euclidean;
  options.threads = control.threads;
  NearestCentroid classifier(centroid_method(item, control), options);
  classifier.fit(training);
  return classifier;
}

/// Every case predicted once, by a classifier that has not seen it.
double cross_validated(const WorkItem& item, const Dataset& training, const EvaluationControl& control) {
  require(training.labelled(), "training: expected labelled cases, got ", training.cases(), " without labels");
  const std::vector<std::size_t> folds = stratified_folds(training.labels(), item.folds, kFoldSeed);
  double hits = 0.0;
  for (std::size_t fold = 0; fold < item.folds; ++fold) {
    std::vector<std::size_t> seen;
    std::vector<std::size_t> held_out;
    for (std::size_t i = 0; i < folds.size(); ++i) (folds[i] == fold ? held_out : seen).push_back(i);
    if (held_out.empty()) continue;  // more folds than cases
    const double score = fitted(item, training.subset(seen), control).score(training.subset(held_out));
    hits += std::round(score * static_cast<double>(held_out.size()));
  }
  return hits / static_cast<double>(training.cases());
}

}  // namespace

Accuracies accuracies(const WorkItem& item, const Archive& archive, const EvaluationControl& control) {
  const Dataset training = archive.training(item.dataset);
  Accuracies result;
  if (item.folds > 0) {
    result.cv = cross_validated(item, training, control);
    return result;
  }
  const NearestCentroid classifier = fitted(item, training, control);
  result.train = classifier.score(training);
  result.test = classifier.score(archive.test(item.dataset));
  return result;
}

}  // namespace diffeo
