#include "diffeo/statistics/embedding.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "diffeo/random.hpp"
#include "statistics/neighbour_probabilities.hpp"
#include "support/message_of.hpp"

namespace diffeo {
namespace embedding_test {

using testing::message_of;
using Values = std::vector<double>;
using Points = std::vector<std::array<double, 2>>;

constexpr std::size_t kClusters = 3;
constexpr std::size_t kMembers = 20;
constexpr std::size_t kCount = kClusters * kMembers;
constexpr std::size_t kDimension = 10;

/// Point i is of cluster i % 3. Whole numbers, so that distances are exact whatever the order of their terms.
Values three_clusters() {
  Random random(2);
  Values rows;
  for (std::size_t i = 0; i < kCount; ++i) {
    for (std::size_t j = 0; j < kDimension; ++j) {
      const double centre = j == i % kClusters ? 1000 : 0;
      rows.push_back(centre + std::round(50 * random.normal()));
    }
  }
  return rows;
}

double distance(const std::array<double, 2>& first, const std::array<double, 2>& second) {
  return std::hypot(first[0] - second[0], first[1] - second[1]);
}

/// The divergence that t-SNE minimises.
double divergence(const Values& rows, const Points& points, double perplexity) {
  const Values pairs = statistics::pair_probabilities(rows, points.size(), perplexity);
  const auto weight = [&](std::size_t i, std::size_t j) {
    return 1 / (1 + std::pow(distance(points[i], points[j]), 2));
  };
  double total = 0;
  double sum = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = 0; j < points.size(); ++j) total += i == j ? 0.0 : weight(i, j);
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = 0; j < points.size(); ++j) {
      const double p = pairs[i * points.size() + j];
      if (p > 0) sum += p * std::log(p * total / weight(i, j));
    }
  }
  return sum;
}

TEST(Embedding, KeepsClustersApart) {
  const Points points = tsne(three_clusters(), kCount, {.perplexity = 10});
  double farthest_within = 0;
  double nearest_between = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < kCount; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double apart = distance(points[i], points[j]);
      if (i % kClusters == j % kClusters) {
        farthest_within = std::max(farthest_within, apart);
      } else {
        nearest_between = std::min(nearest_between, apart);
      }
    }
  }
  EXPECT_GT(nearest_between, farthest_within);
}

TEST(Embedding, KeepsNeighboursOfALineTogether) {
  constexpr std::size_t kLine = 40;
  Values line(kLine);
  for (std::size_t i = 0; i < kLine; ++i) line[i] = static_cast<double>(i);
  const Points points = tsne(line, kLine, {.perplexity = 5});
  for (std::size_t i = 0; i + 10 < kLine; ++i) {
    EXPECT_LT(distance(points[i], points[i + 1]), distance(points[i], points[i + 10])) << i;
  }
}

TEST(Embedding, GoesDownhill) {
  const Values rows = three_clusters();
  const double at_start = divergence(rows, tsne(rows, kCount, {.perplexity = 10, .iterations = 0}), 10);
  const double after_some = divergence(rows, tsne(rows, kCount, {.perplexity = 10, .iterations = 100}), 10);
  const double at_end = divergence(rows, tsne(rows, kCount, {.perplexity = 10}), 10);
  EXPECT_LT(after_some, at_start);
  EXPECT_LT(at_end, after_some);
}

TEST(Embedding, IsTheSameForTheSameSeedAndAnotherForAnother) {
  const Values rows = three_clusters();
  const EmbeddingOptions options = {.perplexity = 10, .iterations = 50, .seed = 4};
  const Points points = tsne(rows, kCount, options);
  EXPECT_EQ(points, tsne(rows, kCount, options));
  EXPECT_NE(points, tsne(rows, kCount, {.perplexity = 10, .iterations = 50, .seed = 5}));
}

TEST(Embedding, OfAMovedMirroredScaledCopyIsTheSame) {
  const Values rows = three_clusters();
  Values copy;
  for (std::size_t i = 0; i < kCount; ++i) {
    for (std::size_t j = 0; j < kDimension; ++j) copy.push_back(0x1p-300 * (77 - rows[(i + 1) * kDimension - 1 - j]));
  }
  EXPECT_EQ(tsne(rows, kCount), tsne(copy, kCount));
}

TEST(Embedding, IsCentred) {
  std::array<double, 2> sum = {};
  double largest = 0;
  for (const auto& point : tsne(three_clusters(), kCount)) {
    for (std::size_t axis = 0; axis < 2; ++axis) {
      sum[axis] += point[axis];
      largest = std::max(largest, std::fabs(point[axis]));
    }
  }
  const double rounding = kCount * std::numeric_limits<double>::epsilon() * largest;
  EXPECT_NEAR(sum[0], 0.0, rounding);
  EXPECT_NEAR(sum[1], 0.0, rounding);
}

TEST(Embedding, StaysFiniteForFewPointsAndForEqualOnes) {
  Random random(9);
  for (std::size_t count = 0; count <= 12; ++count) {
    Values different(2 * count);
    for (double& value : different) value = random.normal();
    for (const Values& rows : {different, Values(2 * count, 0.1)}) {
      const Points points = tsne(rows, count);
      EXPECT_EQ(points.size(), count);
      for (const auto& point : points) EXPECT_LT(std::hypot(point[0], point[1]), 1e4) << count;
    }
  }
}

TEST(Embedding, KeepsCopiesOfOnePointTogether) {
  Values rows = three_clusters();
  for (std::size_t j = 0; j < kDimension; ++j) rows[3 * kDimension + j] = rows[j];
  const Points points = tsne(rows, kCount, {.perplexity = 5});
  for (std::size_t i = 0; i < kCount; ++i) {
    if (i == 0 || i == 3) continue;
    EXPECT_LT(distance(points[0], points[3]), distance(points[0], points[i])) << i;
  }
}

TEST(Embedding, RefusesRowsThatAreNotWhole) {
  EXPECT_EQ(message_of([] { (void)tsne(Values(7), 2); }),
            "rows: expected the same number of values for each of 2 points, got 7 values");
  EXPECT_EQ(message_of([] { (void)tsne(Values{1, std::nan("")}, 2); }), "rows: expected finite values, got nan at 1");
  EXPECT_EQ(message_of([] { (void)tsne(Values(4), 2, {.perplexity = 0.5}); }),
            "perplexity: expected at least 1, got 0.5");
}

}  // namespace embedding_test
}  // namespace diffeo
