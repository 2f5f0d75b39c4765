#include "diffeo/stratified.hpp"

#include <algorithm>
#include <utility>

#include "diffeo/error.hpp"
#include "diffeo/random.hpp"

namespace diffeo {

std::vector<std::size_t> stratified_folds(std::span<const std::size_t> labels, std::size_t parts, std::uint64_t seed) {
  require(parts >= 2, "parts: expected at least 2, got ", parts);
  const std::size_t classes = labels.empty() ? 0 : *std::ranges::max_element(labels) + 1;
  std::vector<std::vector<std::size_t>> members(classes);
  for (std::size_t item = 0; item < labels.size(); ++item) members[labels[item]].push_back(item);
  Random random(seed);
  std::vector<std::size_t> folds(labels.size());
  std::size_t next = 0;
  for (std::vector<std::size_t>& items : members) {
    for (std::size_t left = items.size(); left > 1; --left) std::swap(items[left - 1], items[random.below(left)]);
    for (const std::size_t item : items) folds[item] = next++ % parts;
  }
  return folds;
}

}  // namespace diffeo
