#include "diffeo/stratified.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace diffeo {
namespace stratified_test {

constexpr std::size_t kParts = 4;

std::vector<std::size_t> labels_of_sizes(std::initializer_list<std::size_t> sizes) {
  std::vector<std::size_t> labels;
  std::size_t label = 0;
  for (const std::size_t size : sizes) labels.insert(labels.end(), size, label++);
  return labels;
}

std::size_t count(const std::vector<std::size_t>& folds, const std::vector<std::size_t>& labels, std::size_t fold,
                  std::size_t label) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < folds.size(); ++i) found += folds[i] == fold && labels[i] == label ? 1 : 0;
  return found;
}

TEST(StratifiedFolds, SpreadEveryClassEvenly) {
  const std::vector<std::size_t> labels = labels_of_sizes({13, 1, 2, 40});
  const std::vector<std::size_t> folds = stratified_folds(labels, kParts, 5);
  for (const std::size_t label : {0U, 1U, 2U, 3U}) {
    std::array<std::size_t, kParts> counts{};
    for (std::size_t fold = 0; fold < kParts; ++fold) counts[fold] = count(folds, labels, fold, label);
    const auto [least, most] = std::ranges::minmax(counts);
    EXPECT_LE(most - least, 1U) << "class " << label;
  }
}

TEST(StratifiedFolds, HaveSizesThatDifferByOneAtMost) {
  const std::vector<std::size_t> folds = stratified_folds(labels_of_sizes({5, 5, 5, 5, 3}), kParts, 1);
  std::array<std::ptrdiff_t, kParts> sizes{};
  for (std::size_t fold = 0; fold < kParts; ++fold) sizes[fold] = std::ranges::count(folds, fold);
  const auto [least, most] = std::ranges::minmax(sizes);
  EXPECT_LE(most - least, 1);
}

TEST(StratifiedFolds, DependOnTheSeedAlone) {
  const std::vector<std::size_t> labels = labels_of_sizes({30, 30});
  EXPECT_EQ(stratified_folds(labels, kParts, 7), stratified_folds(labels, kParts, 7));
  EXPECT_NE(stratified_folds(labels, kParts, 7), stratified_folds(labels, kParts, 8));
}

TEST(StratifiedFolds, RefuseLessThanTwoParts) {
  EXPECT_THROW((void)stratified_folds(labels_of_sizes({3}), 1, 0), std::invalid_argument);
}

}  // namespace stratified_test
}  // namespace diffeo
