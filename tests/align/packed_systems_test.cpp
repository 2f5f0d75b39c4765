#include "align/packed_systems.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <vector>

#include "diffeo/random.hpp"

namespace diffeo {
namespace packed_systems_test {

constexpr std::size_t kLanes = PackedSystems::kLanes;
/// Condition numbers are about 100; sums of up to 33 products.
constexpr double kTolerance = 1e-11;

struct System {
  Eigen::MatrixXd matrix;
  Eigen::VectorXd vector;

  System(std::size_t size, std::uint64_t seed) {
    Random random(seed);
    const auto rows = static_cast<Eigen::Index>(size);
    const Eigen::MatrixXd root = Eigen::MatrixXd::NullaryExpr(rows, rows, [&](auto...) { return random.normal(); });
    matrix = root * root.transpose() + static_cast<double>(size) * Eigen::MatrixXd::Identity(rows, rows);
    vector = Eigen::VectorXd::NullaryExpr(rows, [&](auto...) { return random.normal(); });
  }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(vector.size()); }

  void put(PackedSystems& pack, std::size_t lane) const {
    for (std::size_t i = 0; i < size(); ++i) {
      pack.vector(lane, i) = vector[static_cast<Eigen::Index>(i)];
      for (std::size_t j = 0; j <= i; ++j) {
        pack.matrix(lane, i, j) = matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
      }
    }
  }
};

std::vector<double> solution(const PackedSystems& pack, std::size_t lane, std::size_t size) {
  std::vector<double> result;
  for (std::size_t i = 0; i < size; ++i) result.push_back(pack.product(lane, i));
  return result;
}

/// Every lane against Eigen's factor of its matrix; the last lane holds nothing.
void expect_what_eigen_has(std::size_t size) {
  SCOPED_TRACE(::testing::Message() << "size " << size);
  PackedSystems pack(size);
  for (std::size_t lane = 0; lane + 1 < kLanes; ++lane) System(size, 100 * size + lane).put(pack, lane);
  double logs[kLanes];
  pack.factor();
  pack.log_determinants(logs);
  pack.invert();
  pack.multiply();
  for (std::size_t lane = 0; lane + 1 < kLanes; ++lane) {
    const System system(size, 100 * size + lane);
    const Eigen::LLT<Eigen::MatrixXd> factor(system.matrix);
    const Eigen::VectorXd expected = factor.solve(system.vector);
    const auto rows = static_cast<Eigen::Index>(size);
    const Eigen::MatrixXd inverse = factor.solve(Eigen::MatrixXd::Identity(rows, rows));
    EXPECT_NEAR(logs[lane], 2.0 * factor.matrixLLT().diagonal().array().log().sum(), kTolerance);
    for (std::size_t i = 0; i < size; ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      EXPECT_NEAR(pack.product(lane, i), expected[row], kTolerance);
      for (std::size_t j = 0; j <= i; ++j) {
        EXPECT_NEAR(pack.matrix(lane, i, j), inverse(row, static_cast<Eigen::Index>(j)), kTolerance);
      }
    }
  }
  EXPECT_EQ(logs[kLanes - 1], 0.0);
  EXPECT_EQ(solution(pack, kLanes - 1, size), std::vector<double>(size, 0.0));
}

TEST(PackedSystems, AreSolvedInvertedAndMeasuredAsOneByOne) {
  for (const std::size_t size : {1u, 2u, 4u, 5u, 15u, 16u, 33u}) expect_what_eigen_has(size);
}

TEST(PackedSystems, HaveResidualsAsLongAsTheInverseSays) {
  constexpr std::size_t kSize = 15;
  const System system(kSize, 7);
  PackedSystems pack(kSize);
  system.put(pack, 3);
  pack.factor();
  pack.solve_lower();
  double square = 0.0;
  for (std::size_t i = 0; i < kSize; ++i) square += pack.vector(3, i) * pack.vector(3, i);
  const Eigen::LLT<Eigen::MatrixXd> factor(system.matrix);
  EXPECT_NEAR(square, system.vector.dot(factor.solve(system.vector)), kTolerance);
}

TEST(PackedSystems, DoNotDependOnTheirNeighbors) {
  constexpr std::size_t kSize = 9;
  PackedSystems alone(kSize);
  PackedSystems beside(kSize);
  System(kSize, 1).put(alone, 2);
  for (std::size_t lane = 0; lane < kLanes; ++lane) System(kSize, lane == 2 ? 1 : 50 + lane).put(beside, lane);
  beside.matrix(5, 3, 3) = -1.0;  // not positive definite
  for (PackedSystems* pack : {&alone, &beside}) {
    pack->factor();
    pack->invert();
    pack->multiply();
  }
  EXPECT_EQ(solution(alone, 2, kSize), solution(beside, 2, kSize));
  EXPECT_TRUE(std::isnan(beside.product(5, 0)));
}

}  // namespace packed_systems_test
}  // namespace diffeo
