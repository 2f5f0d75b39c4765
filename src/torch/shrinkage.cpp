#include "shrinkage.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "layered_warp.hpp"
#include "temporal_model.hpp"

namespace diffeo {
namespace {

/// From all of the warp to none: the first of the best is the largest.
constexpr std::array<double, 5> kChoices = {1.0, 0.75, 0.5, 0.25, 0.0};

std::vector<double> mean_of(const Dataset& aligned, const std::vector<std::size_t>& items) {
  const std::size_t size = aligned.channels() * aligned.longest();
  std::vector<double> sums(size, 0.0);
  std::vector<double> counts(size, 0.0);
  for (const std::size_t item : items) {
    const std::span<const double> values = aligned.series(item).values();
    for (std::size_t i = 0; i < size; ++i) {
      if (std::isnan(values[i])) continue;
      sums[i] += values[i];
      ++counts[i];
    }
  }
  std::ranges::transform(sums, counts, sums.begin(), std::divides<>());  // 0 / 0: nobody has a value there
  return sums;
}

double squared_distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  double count = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = a[i] - b[i];
    if (std::isnan(difference)) continue;
    sum += difference * difference;
    ++count;
  }
  return count > 0.0 ? sum / count : std::numeric_limits<double>::infinity();
}

/// How many of the held-out cases are nearest to the centroid of their own class.
std::size_t correct(const Dataset& aligned, const std::vector<std::size_t>& folds, std::size_t member) {
  auto groups = aligned.cases_by_class();
  std::vector<std::vector<double>> centroids;
  for (std::vector<std::size_t>& group : groups) {
    std::erase_if(group, [&](std::size_t item) { return folds[item] == member; });
    centroids.push_back(group.empty() ? std::vector<double>() : mean_of(aligned, group));
  }
  std::size_t count = 0;
  for (std::size_t item = 0; item < aligned.cases(); ++item) {
    if (folds[item] != member) continue;
    std::size_t nearest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t label = 0; label < centroids.size(); ++label) {
      if (centroids[label].empty()) continue;
      const double distance = squared_distance(aligned.series(item).values(), centroids[label]);
      if (distance < least) least = distance, nearest = label;
    }
    count += nearest == aligned.labels()[item] ? 1 : 0;
  }
  return count;
}

Matrix scaled(Matrix matrix, double factor) {
  for (double& value : matrix.values()) value *= factor;
  return matrix;
}

}  // namespace

double validated_shrinkage(const TrainingTask& task, const std::vector<std::size_t>& folds,
                           std::span<const TrainedMember> networks) {
  if (task.classes < 2) return 1.0;
  std::array<std::size_t, kChoices.size()> right{};
  for (std::size_t member = 0; member < networks.size(); ++member) {
    const std::vector<Matrix> full = member_velocities(*networks[member].network, task.normalisation, *task.set);
    for (std::size_t choice = 0; choice < kChoices.size(); ++choice) {
      std::vector<Matrix> layers;
      for (const Matrix& layer : full) layers.push_back(scaled(layer, kChoices[choice] * task.options.horizon));
      const Dataset aligned = layered_warp(*task.set, layers, static_cast<std::size_t>(task.length), task.options, 1);
      right[choice] += correct(aligned, folds, member);
    }
  }
  return kChoices[static_cast<std::size_t>(std::ranges::max_element(right) - right.begin())];
}

Dataset class_mean_series(const Dataset& aligned) {
  Dataset means(aligned.channels());
  if (!aligned.labelled()) {
    std::vector<std::size_t> all(aligned.cases());
    std::iota(all.begin(), all.end(), std::size_t{0});
    means.add_case(mean_of(aligned, all));
    return means;
  }
  const auto groups = aligned.cases_by_class();
  for (std::size_t label = 0; label < groups.size(); ++label) {
    if (!groups[label].empty()) means.add_case(mean_of(aligned, groups[label]), aligned.class_names()[label]);
  }
  return means;
}

}  // namespace diffeo
