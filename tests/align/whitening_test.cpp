#include "align/whitening.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <vector>

#include "diffeo/random.hpp"

namespace diffeo {
namespace whitening_test {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
/// Covariances up to 1e4 times the noise lose four of sixteen digits, in the filter as in the dense factor; some more
/// are for up to 200 samples.
constexpr double kRelativeTolerance = 1e-9;
/// Sums of a few products, rounded in another order.
constexpr double kRounding = 1e-12;

struct Scene {
  std::size_t length = 0;
  double ratio = 0.0;
  double length_scale = 0.1;
  std::vector<char> present = {};

  [[nodiscard]] Whitening whitening() const { return {length, present, ratio, length_scale}; }
  [[nodiscard]] bool has(std::size_t sample) const { return present.empty() || present[sample] != 0; }
};

std::vector<double> random_block(std::size_t size, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> block(size);
  for (double& value : block) value = random.normal();
  return block;
}

std::vector<char> random_gaps(std::size_t length, std::uint64_t seed) {
  Random random(seed);
  std::vector<char> present(length);
  for (char& flag : present) flag = random.uniform() < 0.7 ? 1 : 0;
  return present;
}

std::vector<double> whitened(const Scene& scene, std::vector<double> block, std::size_t columns = 1) {
  std::vector<double> states(2 * columns);
  scene.whitening().whiten(block, columns, states);
  return block;
}

double sum_of_squares(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value * value;
  return sum;
}

/// ratio * Matern 3/2 + I over the samples that are there, factored.
struct Dense {
  std::vector<std::size_t> samples;
  Eigen::LLT<Eigen::MatrixXd> factor;

  explicit Dense(const Scene& scene) {
    for (std::size_t i = 0; i < scene.length; ++i) {
      if (scene.has(i)) samples.push_back(i);
    }
    const auto size = static_cast<Eigen::Index>(samples.size());
    Eigen::MatrixXd covariance = Eigen::MatrixXd::Identity(size, size);
    for (Eigen::Index i = 0; i < size; ++i) {
      for (Eigen::Index j = 0; j < size; ++j) {
        const double steps = std::fabs(static_cast<double>(samples[static_cast<std::size_t>(i)]) -
                                       static_cast<double>(samples[static_cast<std::size_t>(j)]));
        const double spacing = scene.length > 1 ? 1.0 / static_cast<double>(scene.length - 1) : 1.0;
        const double distance = std::sqrt(3.0) * steps * spacing / scene.length_scale;
        covariance(i, j) += scene.ratio * (1.0 + distance) * std::exp(-distance);
      }
    }
    factor.compute(covariance);
  }

  [[nodiscard]] double quadratic_form(const std::vector<double>& residual) const {
    Eigen::VectorXd own(static_cast<Eigen::Index>(samples.size()));
    for (std::size_t i = 0; i < samples.size(); ++i) own[static_cast<Eigen::Index>(i)] = residual[samples[i]];
    return own.dot(factor.solve(own));
  }
  [[nodiscard]] double log_determinant() const {
    return 2.0 * Eigen::MatrixXd(factor.matrixL()).diagonal().array().log().sum();
  }
};

void expect_the_dense_factor(const Scene& scene, std::uint64_t seed) {
  SCOPED_TRACE(::testing::Message() << "length " << scene.length << ", ratio " << scene.ratio << ", length scale "
                                    << scene.length_scale << ", seed " << seed);
  const Dense dense(scene);
  const std::vector<double> residual = random_block(scene.length, seed);
  const double expected = dense.quadratic_form(residual);
  EXPECT_NEAR(sum_of_squares(whitened(scene, residual)), expected, kRelativeTolerance * (1.0 + expected));
  const double determinant = dense.log_determinant();
  EXPECT_NEAR(scene.whitening().log_determinant(), determinant, kRelativeTolerance * (1.0 + std::fabs(determinant)));
}

TEST(Whitening, AgreesWithTheDenseFactor) {
  std::uint64_t seed = 0;
  for (const std::size_t length : {1u, 2u, 3u, 17u, 100u, 200u}) {
    for (const double ratio : {0.0, 0.1, 10.0, 1e4}) {
      for (const double length_scale : {0.02, 0.1, 0.5}) {
        expect_the_dense_factor({.length = length, .ratio = ratio, .length_scale = length_scale}, ++seed);
      }
    }
  }
}

TEST(Whitening, AgreesWithTheDenseFactorOfWhatIsPresent) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    expect_the_dense_factor({.length = 60, .ratio = 20.0, .present = random_gaps(60, 100 + seed)}, seed);
  }
}

TEST(Whitening, TakesGapsAtTheEndsAndLongOnes) {
  Scene scene{.length = 50, .ratio = 5.0, .present = std::vector<char>(50, 0)};
  for (std::size_t i = 7; i < 12; ++i) scene.present[i] = 1;
  for (std::size_t i = 35; i < 45; ++i) scene.present[i] = 1;
  expect_the_dense_factor(scene, 1);
}

TEST(Whitening, ChangesNothingWhereHeightsDoNotVary) {
  const std::vector<double> block = random_block(3 * 40, 2);
  EXPECT_EQ(whitened({.length = 40}, block, 3), block);
  EXPECT_EQ((Scene{.length = 40}.whitening().log_determinant()), 0.0);
}

TEST(Whitening, IsLinearInTheColumn) {
  const Scene scene{.length = 80, .ratio = 30.0, .present = random_gaps(80, 3)};
  const std::vector<double> one = random_block(80, 4);
  const std::vector<double> other = random_block(80, 5);
  std::vector<double> combined(80);
  for (std::size_t i = 0; i < 80; ++i) combined[i] = 2.0 * one[i] - 0.5 * other[i];
  const std::vector<double> first = whitened(scene, one);
  const std::vector<double> second = whitened(scene, other);
  const std::vector<double> result = whitened(scene, combined);
  for (std::size_t i = 0; i < 80; ++i) EXPECT_NEAR(result[i], 2.0 * first[i] - 0.5 * second[i], kRounding);
}

TEST(Whitening, TreatsEveryColumnByItself) {
  constexpr std::size_t kColumns = 4;
  const Scene scene{.length = 50, .ratio = 3.0};
  const std::vector<double> block = random_block(50 * kColumns, 6);
  const std::vector<double> together = whitened(scene, block, kColumns);
  for (std::size_t column = 0; column < kColumns; ++column) {
    std::vector<double> alone(50);
    for (std::size_t i = 0; i < 50; ++i) alone[i] = block[i * kColumns + column];
    alone = whitened(scene, alone);
    for (std::size_t i = 0; i < 50; ++i) EXPECT_NEAR(together[i * kColumns + column], alone[i], kRounding);
  }
}

/// The kernel that filters and multiplies against a filter and a sum, one number after the other.
TEST(Whitening, MultipliesColumnsAsTheyAreWhenWhitened) {
  std::uint64_t seed = 20;
  for (const std::size_t filled : {1u, 8u, 9u, 16u, 31u}) {
    for (const bool has_gaps : {false, true}) {
      const Scene scene{
          .length = 70, .ratio = 40.0, .present = has_gaps ? random_gaps(70, ++seed) : std::vector<char>{}};
      const std::size_t columns = kernels::padded(filled);
      std::vector<double> block = random_block(70 * columns, ++seed);
      for (std::size_t index = 0; index < block.size(); ++index) {
        if (index % columns >= filled || !scene.has(index / columns)) block[index] = 0.0;
      }
      std::vector<double> workspace(block.size());
      std::vector<double> products(columns * columns, 1.0);
      scene.whitening().add_products(block, columns, workspace, products);
      const std::vector<double> white = whitened(scene, block, columns);
      for (std::size_t i = 0; i < columns; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
          double expected = 1.0;
          for (std::size_t row = 0; row < 70; ++row) expected += white[row * columns + i] * white[row * columns + j];
          EXPECT_NEAR(products[i * columns + j], expected, 70 * kRounding) << filled << " columns, " << i << ", " << j;
        }
      }
    }
  }
}

TEST(Whitening, DoesNotLookAtMissingSamples) {
  const Scene scene{.length = 60, .ratio = 8.0, .present = random_gaps(60, 7)};
  const std::vector<double> block = random_block(60, 8);
  std::vector<double> with_holes = block;
  for (std::size_t i = 0; i < 60; ++i) {
    if (!scene.has(i)) with_holes[i] = kMissing;
  }
  const std::vector<double> result = whitened(scene, with_holes);
  EXPECT_EQ(result, whitened(scene, block));
  for (std::size_t i = 0; i < 60; ++i) {
    if (scene.has(i)) continue;
    EXPECT_EQ(result[i], 0.0) << "sample " << i;
  }
}

}  // namespace whitening_test
}  // namespace diffeo
