// Which training series come together in which step of an epoch.
//
// An epoch has as many steps as it takes to see every series once, kLeastStepsPerEpoch at least: of a set smaller than
// that, a step sees `batch_size` series or all of them, and an epoch sees each several times.
//
//   balanced     every step draws its series anew, without repetition; a series' chance goes down with the square root
//                of its class's size, so that rare classes come more often than by chance and frequent ones still count
//   otherwise    the series are shuffled and cut into parts of almost equal size
//
//   * every step has the same number of series, up to one
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "diffeo/random.hpp"

namespace diffeo {

inline constexpr std::int64_t kLeastStepsPerEpoch = 4;

struct BatchPlan {
  std::int64_t batch_size = 32;
  bool balanced = true;
};

[[nodiscard]] std::int64_t steps_per_epoch(const BatchPlan& plan, std::size_t items);

/// The items of every step of an epoch; labels[i] is the class of items[i].
[[nodiscard]] std::vector<std::vector<std::size_t>> epoch_batches(const BatchPlan& plan,
                                                                  std::span<const std::size_t> items,
                                                                  std::span<const std::int64_t> labels, Random& random);

}  // namespace diffeo
