#include "batch_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace diffeo {
namespace {

std::vector<double> chances(std::span<const std::int64_t> labels) {
  std::vector<double> sizes(static_cast<std::size_t>(*std::ranges::max_element(labels)) + 1, 0.0);
  for (const std::int64_t label : labels) ++sizes[static_cast<std::size_t>(label)];
  std::vector<double> result;
  for (const std::int64_t label : labels) result.push_back(1.0 / std::sqrt(sizes[static_cast<std::size_t>(label)]));
  return result;
}

/// `count` of the numbers below chances.size(), without repetition: those whose exponential clocks, which run at the
/// rate of their chances, ring first (Efraimidis and Spirakis).
std::vector<std::size_t> drawn(const std::vector<double>& chances, std::size_t count, Random& random) {
  std::vector<std::pair<double, std::size_t>> clocks;
  for (std::size_t i = 0; i < chances.size(); ++i) clocks.emplace_back(-std::log1p(-random.uniform()) / chances[i], i);
  std::ranges::partial_sort(clocks, clocks.begin() + static_cast<std::ptrdiff_t>(count));
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(clocks[i].second);
  return result;
}

std::vector<std::size_t> shuffled(std::size_t count, Random& random) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t left = count; left > 1; --left) std::swap(order[left - 1], order[random.below(left)]);
  return order;
}

std::size_t passes(const BatchPlan& plan, std::size_t items) {
  const auto batch = static_cast<std::size_t>(plan.batch_size);
  return (items + batch - 1) / batch;
}

}  // namespace

std::int64_t steps_per_epoch(const BatchPlan& plan, std::size_t items) {
  return std::max(kLeastStepsPerEpoch, static_cast<std::int64_t>(passes(plan, items)));
}

std::vector<std::vector<std::size_t>> epoch_batches(const BatchPlan& plan, std::span<const std::size_t> items,
                                                    std::span<const std::int64_t> labels, Random& random) {
  const auto steps = static_cast<std::size_t>(steps_per_epoch(plan, items.size()));
  const std::size_t count = std::min(static_cast<std::size_t>(plan.batch_size), items.size());
  const std::vector<double> chance = chances(labels);
  std::vector<std::vector<std::size_t>> batches;
  while (batches.size() < steps) {
    if (plan.balanced) {
      batches.push_back(drawn(chance, count, random));
      continue;
    }
    const std::vector<std::size_t> order = shuffled(items.size(), random);
    const std::size_t parts = passes(plan, items.size());
    for (std::size_t part = 0; part < parts && batches.size() < steps; ++part) {
      const auto at = [&](std::size_t which) {
        return order.begin() + static_cast<std::ptrdiff_t>(items.size() * which / parts);
      };
      batches.emplace_back(at(part), at(part + 1));
    }
  }
  for (std::vector<std::size_t>& batch : batches) {
    for (std::size_t& item : batch) item = items[item];
  }
  return batches;
}

}  // namespace diffeo
