#include "classify/class_centroids.hpp"

#include <vector>

#include "diffeo/error.hpp"
#include "diffeo/euclidean_mean.hpp"

namespace diffeo::classify {
namespace {

/// The barycenter of one class, `longest` samples long unless the options say otherwise.
struct MakeCentroid {
  const Dataset& cases;
  std::size_t longest;
  std::size_t threads;

  Barycenter operator()(const MeanCentroids& options) const {
    return euclidean_mean(cases, options.length == 0 ? longest : options.length);
  }
  Barycenter operator()(DbaOptions options) const {
    if (options.length == 0) options.length = longest;
    return dba(cases, options, threads);
  }
  Barycenter operator()(SoftDtwBarycenterOptions options) const {
    if (options.length == 0) options.length = longest;
    return soft_dtw_barycenter(cases, options, threads);
  }
  Barycenter operator()(const std::shared_ptr<Aligner>&) const { return euclidean_mean(cases, longest); }
};

}  // namespace

Dataset class_centroids(const Dataset& training, const CentroidMethod& method, std::size_t threads) {
  const std::vector<std::vector<std::size_t>> cases_by_class = training.cases_by_class();
  Dataset centroids(training.channels());
  for (std::size_t number = 0; number < cases_by_class.size(); ++number) {
    if (cases_by_class[number].empty()) continue;
    const Dataset cases = training.subset(cases_by_class[number]);
    const Barycenter centroid = std::visit(MakeCentroid{cases, training.longest(), threads}, method);
    centroids.add_case(centroid.values, training.class_names()[number]);
  }
  return centroids;
}

}  // namespace diffeo::classify
