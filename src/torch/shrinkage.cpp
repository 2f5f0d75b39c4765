#include "shrinkage.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "layered_warp.hpp"
#include "temporal_model.hpp"

namespace diffeo {
namespace {

/// From all of the warp to none: the first of the best is the largest.
constexpr std::array<double, 5> kChoices = {1.0, 0.75, 0.5, 0.25, 0.0};

/// What the classes of the aligned series come to, over all processes.
class ClassMeans {
 public:
  /// Of the own cases that `counts` says yes to, by their numbers in the whole set.
  template <class Counts>
  ClassMeans(const Dataset& aligned, const SharedSet& set, const Counts& counts)
      : size_(aligned.channels() * aligned.longest()), classes_(set.labeled() ? set.class_names().size() : 1) {
    numbers_.assign(classes_ * (2 * size_ + 1), 0.0);
    for (std::size_t i = 0; i < aligned.cases(); ++i) {
      const std::size_t item = set.own_items()[i];
      if (counts(item)) add(aligned.series(i).values(), set.labeled() ? set.labels()[item] : 0);
    }
    set.group().sum(numbers_);
  }

  [[nodiscard]] std::size_t classes() const noexcept { return classes_; }
  [[nodiscard]] bool is_empty(std::size_t label) const noexcept { return numbers_[label * (2 * size_ + 1)] == 0.0; }
  [[nodiscard]] std::vector<double> mean(std::size_t label) const {
    const double* const sums = numbers_.data() + label * (2 * size_ + 1) + 1;
    std::vector<double> mean(size_);
    for (std::size_t i = 0; i < size_; ++i) mean[i] = sums[i] / sums[size_ + i];  // 0 / 0: nobody has a value there
    return mean;
  }

 private:
  void add(std::span<const double> values, std::size_t label) {
    double* const sums = numbers_.data() + label * (2 * size_ + 1) + 1;
    ++sums[-1];
    for (std::size_t i = 0; i < size_; ++i) {
      if (std::isnan(values[i])) continue;
      sums[i] += values[i];
      ++sums[size_ + i];
    }
  }

  std::size_t size_;
  std::size_t classes_;
  std::vector<double> numbers_;  // of each class: its cases, the sums of their values, how many were present
};

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

/// How many of the own held-out cases are nearest to the centroid of their own class.
std::size_t correct(const Dataset& aligned, const SharedSet& set, const std::vector<std::size_t>& folds,
                    std::size_t member) {
  const ClassMeans means(aligned, set, [&](std::size_t item) { return folds[item] != member; });
  std::vector<std::vector<double>> centroids;
  for (std::size_t label = 0; label < means.classes(); ++label) {
    centroids.push_back(means.is_empty(label) ? std::vector<double>() : means.mean(label));
  }
  std::size_t count = 0;
  for (std::size_t i = 0; i < aligned.cases(); ++i) {
    const std::size_t item = set.own_items()[i];
    if (folds[item] != member) continue;
    std::size_t nearest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t label = 0; label < centroids.size(); ++label) {
      if (centroids[label].empty()) continue;
      const double distance = squared_distance(aligned.series(i).values(), centroids[label]);
      if (distance < least) least = distance, nearest = label;
    }
    count += nearest == set.labels()[item] ? 1 : 0;
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
  const SharedSet& set = *task.set;
  const Dataset comparable = normalized(set.own(), task.normalization);
  std::vector<double> right(kChoices.size(), 0.0);
  for (std::size_t member = 0; member < networks.size(); ++member) {
    const std::vector<Matrix> full =
        network_output(*networks[member].network, task.normalization, set.own()).velocities;
    for (std::size_t choice = 0; choice < kChoices.size(); ++choice) {
      std::vector<Matrix> layers;
      for (const Matrix& layer : full) layers.push_back(scaled(layer, kChoices[choice] * task.options.horizon));
      const Dataset aligned = layered_warp(comparable, layers, static_cast<std::size_t>(task.length), task.options, 1);
      right[choice] += static_cast<double>(correct(aligned, set, folds, member));
    }
  }
  set.group().sum(right);
  return kChoices[static_cast<std::size_t>(std::ranges::max_element(right) - right.begin())];
}

Dataset class_mean_series(const Dataset& aligned) { return class_mean_series(aligned, SharedSet(aligned, Group())); }

Dataset class_mean_series(const Dataset& aligned, const SharedSet& set) {
  const ClassMeans means(aligned, set, [](std::size_t) { return true; });
  Dataset result(aligned.channels());
  if (!set.labeled()) {
    result.add_case(means.mean(0));
    return result;
  }
  for (std::size_t label = 0; label < means.classes(); ++label) {
    if (!means.is_empty(label)) result.add_case(means.mean(label), set.class_names()[label]);
  }
  return result;
}

}  // namespace diffeo
