#include "diffeo/warp_space.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "diffeo/random.hpp"

namespace diffeo {
namespace warp_space_test {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// The promise for every basis: max |L B| <= 1e-12 max |L| max |B|. Forming B from W costs a handful of
// roundings.
constexpr double kConstraintTolerance = 1e-12;
// Orthonormality is lost to rounding times the condition number of H, a few times the number of cells
// on [0, 1].
constexpr double kOrthonormalTolerance = 1e-12;
// Free coefficients are recovered from velocities with a rounding error of about the number of cells.
double free_tolerance(std::size_t cells) { return 16.0 * kEpsilon * static_cast<double>(cells); }

#ifdef DIFFEO_SANITIZED
constexpr bool kSanitized = true;
constexpr std::size_t kLargestSize = 96;
#else
constexpr bool kSanitized = false;
constexpr std::size_t kLargestSize = 512;
#endif

constexpr Basis kBases[] = {Basis::svd, Basis::qr, Basis::rref, Basis::sparse};

struct Interval {
  double lower, upper;
};
// In (-1, 1), (-3, 7) and (-0.1, 0.2) some tessellations have a vertex at 0, in the last one only but for
// rounding; in (-4, 0) it is the last vertex.
constexpr Interval kDomains[] = {{0, 1}, {2, 5}, {-3, 7}, {0, 1e-6}, {0, 255}, {-1, 1}, {-0.1, 0.2}, {-4, 0}, {-5, -2}};

Eigen::Map<const RowMajor> view(const Matrix& matrix) {
  return {matrix.values().data(), static_cast<Eigen::Index>(matrix.rows()),
          static_cast<Eigen::Index>(matrix.columns())};
}

std::vector<double> random_vector(std::size_t size, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> values(size);
  for (double& value : values) value = random.normal();
  return values;
}

double largest(const std::vector<double>& values) {
  double result = 0.0;
  for (const double value : values) result = std::max(result, std::abs(value));
  return result;
}

double largest_difference(const std::vector<double>& x, const std::vector<double>& y) {
  double result = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) result = std::max(result, std::abs(x[i] - y[i]));
  return result;
}

/// max |L B| / (max |L| max |B|). A row of L touches four columns at most, those of two neighboring cells.
double constraint_residual(const WarpSpace& space, const Matrix& basis) {
  const Matrix constraints = space.constraints();
  if (constraints.rows() == 0) return 0.0;
  const std::size_t cells = space.tessellation().cells();
  double worst = 0.0;
  for (std::size_t row = 0; row < constraints.rows(); ++row) {
    const std::size_t first = row < cells - 1 ? 2 * row : row == cells - 1 ? 0 : 2 * cells - 2;
    const std::size_t count = row < cells - 1 ? 4 : 2;
    for (std::size_t k = 0; k < basis.columns(); ++k) {
      double sum = 0.0;
      for (std::size_t i = first; i < first + count; ++i) sum += constraints(row, i) * basis(i, k);
      worst = std::max(worst, std::abs(sum));
    }
  }
  return worst / (view(constraints).cwiseAbs().maxCoeff() * view(basis).cwiseAbs().maxCoeff());
}

/// Largest entry of |B^T B - I|. Below 1 / d it proves rank d: the Gram matrix is diagonally dominant.
double orthonormality_defect(const Matrix& basis) {
  const auto d = static_cast<Eigen::Index>(basis.columns());
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(d, d);
  gram.selfadjointView<Eigen::Lower>().rankUpdate(view(basis).transpose());
  gram.diagonal().array() -= 1.0;
  return gram.cwiseAbs().maxCoeff();
}

/// The rows of B that hold the free coefficients on a domain without a vertex at 0 beyond the first.
std::vector<std::size_t> free_rows(std::size_t cells, bool zero_boundary) {
  std::vector<std::size_t> rows;
  for (std::size_t cell = zero_boundary ? 1 : 0; cell < cells; ++cell) {
    if (!zero_boundary && cell + 1 == cells) rows.push_back(2 * cell);
    rows.push_back(2 * cell + 1);
  }
  return rows;
}

/// Largest entry of |B(free rows) - I|; below 1 / d it proves rank d.
double identity_defect(const Matrix& basis, const std::vector<std::size_t>& rows) {
  double worst = 0.0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t k = 0; k < basis.columns(); ++k) {
      worst = std::max(worst, std::abs(basis(rows[i], k) - (i == k ? 1.0 : 0.0)));
    }
  }
  return worst;
}

/// Whether the free rows of W are upper triangular with no zero on the diagonal, which proves rank d.
bool is_regular_triangle(const Matrix& basis, bool zero_boundary) {
  const std::size_t skip = zero_boundary ? 1 : 0;
  for (std::size_t i = 0; i < basis.columns(); ++i) {
    if (basis(i + skip, i) == 0.0) return false;
    for (std::size_t k = 0; k < i; ++k) {
      if (basis(i + skip, k) != 0.0) return false;
    }
  }
  return true;
}

void expect_full_rank(const WarpSpace& space, const Matrix& affine) {
  const std::size_t cells = space.tessellation().cells();
  switch (space.basis()) {
    case Basis::svd:
      EXPECT_LE(orthonormality_defect(affine), kOrthonormalTolerance);
      break;
    case Basis::rref:
      EXPECT_LE(identity_defect(affine, free_rows(cells, space.zero_boundary())), free_tolerance(cells));
      break;
    case Basis::qr:
    case Basis::sparse:
      EXPECT_TRUE(is_regular_triangle(space.vertex_basis(), space.zero_boundary()));
  }
}

/// Every size in one of the parts: one takes a core half a minute with dense bases, and parts can share the cores.
constexpr std::size_t kParts = 4;
class EverySize : public ::testing::TestWithParam<std::tuple<Basis, bool, std::size_t>> {};

TEST_P(EverySize, GivesABasisOfTheNullSpaceOfTheConstraints) {
  const auto [basis, zero_boundary, part] = GetParam();
  for (std::size_t cells = (zero_boundary ? 2 : 1) + part; cells <= kLargestSize; cells += kParts) {
    SCOPED_TRACE(cells);
    const WarpSpace space(cells, zero_boundary, basis);
    const Matrix affine = space.affine_basis();
    ASSERT_EQ(affine.rows(), 2 * cells);
    ASSERT_EQ(affine.columns(), zero_boundary ? cells - 1 : cells + 1);
    ASSERT_LE(constraint_residual(space, affine), kConstraintTolerance);
    expect_full_rank(space, affine);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(WarpSpace, EverySize,
                         ::testing::Combine(::testing::ValuesIn(kBases), ::testing::Bool(),
                                            ::testing::Range(std::size_t{0}, kParts)),
                         [](const auto& instance) {
                           return std::string(basis_name(std::get<0>(instance.param))) +
                                  (std::get<1>(instance.param) ? "_zero_boundary_" : "_free_boundary_") +
                                  std::to_string(std::get<2>(instance.param));
                         });

/// Calls check(space) for small and middling sizes on all the domains, both boundaries and all bases.
template <class Check>
void for_each_space(const Check& check) {
  for (const Interval domain : kDomains) {
    for (const std::size_t cells : {1u, 2u, 3u, 4u, 7u, 10u, 49u}) {
      for (const bool zero_boundary : {false, true}) {
        if (zero_boundary && cells == 1) continue;
        for (const Basis basis : kBases) {
          SCOPED_TRACE(testing::Message() << basis_name(basis) << ", " << cells << " cells, zero_boundary "
                                          << zero_boundary << ", (" << domain.lower << ", " << domain.upper << ")");
          check(WarpSpace(cells, zero_boundary, basis, domain.lower, domain.upper));
        }
      }
    }
  }
}

TEST(WarpSpace, SatisfiesTheConstraintsOnEveryDomain) {
  for_each_space([](const WarpSpace& space) {
    EXPECT_LE(constraint_residual(space, space.affine_basis()), kConstraintTolerance);
  });
}

/// Largest over smallest singular value.
double condition(const Matrix& matrix) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> decomposition(view(matrix));
  return decomposition.singularValues().maxCoeff() / decomposition.singularValues().minCoeff();
}

/// The condition of H, which is the affine basis of the hat functions.
double condition_of_hats(const WarpSpace& space) {
  const Tessellation& cells = space.tessellation();
  const WarpSpace hats(cells.cells(), space.zero_boundary(), Basis::sparse, cells.lower(), cells.upper());
  return condition(hats.affine_basis());
}

TEST(WarpSpace, HasOrthonormalQrAndSvdBasesToRoundingTimesTheConditionOfHats) {
  for_each_space([](const WarpSpace& space) {
    if (space.basis() != Basis::qr && space.basis() != Basis::svd) return;
    EXPECT_LE(orthonormality_defect(space.affine_basis()), 32.0 * kEpsilon * condition_of_hats(space));
  });
}

TEST(WarpSpace, HasOrthonormalQrAndSvdBasesAtLargeSizes) {
  for (const std::size_t cells : {kLargestSize / 2, kLargestSize}) {
    for (const bool zero_boundary : {false, true}) {
      for (const Basis basis : {Basis::qr, Basis::svd}) {
        EXPECT_LE(orthonormality_defect(WarpSpace(cells, zero_boundary, basis).affine_basis()), kOrthonormalTolerance);
      }
    }
  }
}

/// The null-space basis read off the reduced row echelon form of L, by elimination in long double.
Eigen::MatrixXd null_space_by_elimination(const Matrix& constraints) {
  using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  Long l = view(constraints).cast<long double>();
  // A vertex that is 0 but for rounding leaves 1e-17 of the largest entry; the smallest true pivot here is
  // 1e-8 of it.
  const long double zero = l.size() == 0 ? 0.0L : 1e-15L * l.cwiseAbs().maxCoeff();
  std::vector<Eigen::Index> pivots, free;
  for (Eigen::Index column = 0; column < l.cols(); ++column) {
    const auto rank = static_cast<Eigen::Index>(pivots.size());
    Eigen::Index best = 0;
    if (rank == l.rows() || l.col(column).tail(l.rows() - rank).cwiseAbs().maxCoeff(&best) <= zero) {
      free.push_back(column);
      continue;
    }
    l.row(rank).swap(l.row(rank + best));
    l.row(rank) /= Long(l)(rank, column);
    for (Eigen::Index row = 0; row < l.rows(); ++row) {
      if (row != rank) l.row(row) -= Long(l)(row, column) * l.row(rank);
    }
    pivots.push_back(column);
  }
  Eigen::MatrixXd basis = Eigen::MatrixXd::Zero(l.cols(), static_cast<Eigen::Index>(free.size()));
  for (std::size_t k = 0; k < free.size(); ++k) {
    basis(free[k], static_cast<Eigen::Index>(k)) = 1.0;
    for (std::size_t i = 0; i < pivots.size(); ++i) {
      basis(pivots[i], static_cast<Eigen::Index>(k)) = static_cast<double>(-l(static_cast<Eigen::Index>(i), free[k]));
    }
  }
  return basis;
}

TEST(WarpSpace, HasTheRrefBasisThatEliminationGives) {
  for_each_space([](const WarpSpace& space) {
    if (space.basis() != Basis::rref || space.tessellation().cells() > 10) return;
    const Eigen::MatrixXd expected = null_space_by_elimination(space.constraints());
    const Matrix affine = space.affine_basis();
    ASSERT_EQ(expected.cols(), view(affine).cols());
    const double scale = expected.cwiseAbs().maxCoeff();
    EXPECT_LE((view(affine) - expected).cwiseAbs().maxCoeff() / scale, 1000.0 * kEpsilon);
  });
}

TEST(WarpSpace, IsTheIdentityOnTheFreeVerticesInTheSparseBasis) {
  const Matrix basis = WarpSpace(49, true, Basis::sparse).vertex_basis();
  for (std::size_t j = 0; j <= 49; ++j) {
    for (std::size_t k = 0; k < 48; ++k) EXPECT_EQ(basis(j, k), j == k + 1 ? 1.0 : 0.0);
  }
}

TEST(WarpSpace, PutsTheSmoothestSvdFieldsFirst) {
  // Columns of W are right singular vectors over singular values: the larger the column, the smaller the
  // value.
  const Matrix basis = WarpSpace(30).vertex_basis();
  const Eigen::VectorXd norms = view(basis).colwise().norm();
  for (Eigen::Index k = 0; k + 1 < norms.size(); ++k) EXPECT_GT(norms[k], norms[k + 1]);
  EXPECT_GT(view(basis).col(0).segment(1, 29).minCoeff(), 0.0) << "the smoothest field has no zero inside the domain";
}

TEST(WarpSpace, MakesQrFieldsPositiveAtTheirOwnVertexAndZeroAfterIt) {
  const Matrix basis = WarpSpace(30, true, Basis::qr).vertex_basis();
  EXPECT_TRUE(is_regular_triangle(basis, true));
  for (std::size_t k = 0; k < 29; ++k) EXPECT_GT(basis(k + 1, k), 0.0);
}

TEST(WarpSpace, GivesTheVelocitiesOfItsVertexBasis) {
  for_each_space([](const WarpSpace& space) {
    const std::vector<double> theta = random_vector(space.dimension(), 3);
    const Matrix basis = space.vertex_basis();
    const Eigen::VectorXd expected = view(basis) * Eigen::Map<const Eigen::VectorXd>(theta.data(), view(basis).cols());
    const double scale = view(basis).cwiseAbs().rowwise().sum().maxCoeff() * largest(theta);
    const std::vector<double> velocities = space.velocities(theta);
    for (std::size_t j = 0; j < velocities.size(); ++j) {
      EXPECT_NEAR(velocities[j], expected[static_cast<Eigen::Index>(j)], 100.0 * kEpsilon * scale);
    }
  });
}

TEST(WarpSpace, RecoversVelocitiesFromTheirTheta) {
  for_each_space([](const WarpSpace& space) {
    std::vector<double> velocities = random_vector(space.tessellation().vertices(), 4);
    if (space.zero_boundary()) velocities.front() = velocities.back() = 0.0;
    const double tolerance = 32.0 * kEpsilon * condition(space.vertex_basis()) * largest(velocities);
    EXPECT_LE(largest_difference(space.velocities(space.theta(velocities)), velocities), tolerance);
  });
}

TEST(WarpSpace, FitsVelocitiesOutsideTheSpaceByLeastSquares) {
  for (const Basis basis : kBases) {
    const WarpSpace space(12, true, basis);
    const std::vector<double> velocities = random_vector(13, 5);
    const Matrix w = space.vertex_basis();
    const Eigen::VectorXd expected =
        view(w).colPivHouseholderQr().solve(Eigen::Map<const Eigen::VectorXd>(velocities.data(), 13));
    const std::vector<double> theta = space.theta(velocities);
    for (std::size_t k = 0; k < theta.size(); ++k) {
      EXPECT_NEAR(theta[k], expected[static_cast<Eigen::Index>(k)], 1e-12 * expected.norm()) << basis_name(basis);
    }
  }
}

TEST(WarpSpace, CarriesGradientsBackByTheTransposeOfTheVertexBasis) {
  for_each_space([](const WarpSpace& space) {
    const std::vector<double> theta = random_vector(space.dimension(), 6);
    const std::vector<double> gradients = random_vector(space.tessellation().vertices(), 7);
    const std::vector<double> velocities = space.velocities(theta);
    std::vector<double> theta_gradients(space.dimension());
    space.theta_gradient(gradients, theta_gradients);
    double forward = 0.0, backward = 0.0, scale = 0.0;
    for (std::size_t j = 0; j < velocities.size(); ++j) {
      forward += velocities[j] * gradients[j];
      scale += std::abs(velocities[j] * gradients[j]);
    }
    for (std::size_t k = 0; k < theta.size(); ++k) {
      backward += theta[k] * theta_gradients[k];
      scale += std::abs(theta[k] * theta_gradients[k]);
    }
    EXPECT_NEAR(forward, backward, 200.0 * kEpsilon * scale);
  });
}

TEST(WarpSpace, TreatsEveryRowOfABatchAsIfItWereAlone) {
  for (const Basis basis : kBases) {
    const WarpSpace space(9, true, basis);
    const std::vector<double> theta = random_vector(3 * 8, 8);
    std::vector<double> velocities(3 * 10), back(3 * 8), gradients(3 * 8);
    space.velocities(Rows<const double>(theta.data(), 3, 8), Rows<double>(velocities.data(), 3, 10));
    space.theta(Rows<const double>(velocities.data(), 3, 10), Rows<double>(back.data(), 3, 8));
    space.theta_gradient(Rows<const double>(velocities.data(), 3, 10), Rows<double>(gradients.data(), 3, 8));
    for (std::size_t row = 0; row < 3; ++row) {
      const std::vector<double> alone = space.velocities(std::span(theta).subspan(row * 8, 8));
      EXPECT_TRUE(std::equal(alone.begin(), alone.end(), velocities.begin() + static_cast<std::ptrdiff_t>(row * 10)));
      const std::vector<double> theta_alone = space.theta(alone);
      EXPECT_TRUE(
          std::equal(theta_alone.begin(), theta_alone.end(), back.begin() + static_cast<std::ptrdiff_t>(row * 8)));
      std::vector<double> gradient_alone(8);
      space.theta_gradient(alone, gradient_alone);
      EXPECT_TRUE(std::equal(gradient_alone.begin(), gradient_alone.end(),
                             gradients.begin() + static_cast<std::ptrdiff_t>(row * 8)));
    }
  }
}

TEST(WarpSpace, RoundsFloatResultsOnce) {
  for (const Basis basis : kBases) {
    const WarpSpace space(20, false, basis);
    std::vector<float> theta(2 * 21), velocities(2 * 21);
    const std::vector<double> values = random_vector(theta.size(), 9);
    std::transform(values.begin(), values.end(), theta.begin(), [](double v) { return static_cast<float>(v); });
    const std::vector<double> in_double(theta.begin(), theta.end());
    std::vector<double> expected(velocities.size());
    space.velocities(Rows<const float>(theta.data(), 2, 21), Rows<float>(velocities.data(), 2, 21));
    space.velocities(Rows<const double>(in_double.data(), 2, 21), Rows<double>(expected.data(), 2, 21));
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(velocities[i], static_cast<float>(expected[i]));
  }
}

TEST(WarpSpace, WorksAtTheLargestSizeWithoutAMatrix) {
  for (const Basis basis : {Basis::sparse, Basis::qr, Basis::rref}) {
    const WarpSpace space(Tessellation::kMaximumCells, true, basis);
    const std::vector<double> theta = random_vector(space.dimension(), 10);
    const std::vector<double> velocities = space.velocities(theta);
    EXPECT_EQ(velocities.front(), 0.0);
    EXPECT_EQ(velocities.back(), 0.0);
    EXPECT_LE(largest_difference(space.theta(velocities), theta), 1e-9 * largest(theta)) << basis_name(basis);
    EXPECT_THROW(static_cast<void>(space.vertex_basis()), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(space.affine_basis()), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(space.constraints()), std::invalid_argument);
  }
}

TEST(WarpSpace, MakesTheSparseAndRrefBasesOf2048CellsInLessThanASecond) {
  if (kSanitized) GTEST_SKIP() << "timings mean nothing under sanitizers";
  for (const Basis basis : {Basis::sparse, Basis::rref}) {
    const auto start = std::chrono::steady_clock::now();
    const Matrix affine = WarpSpace(2048, true, basis).affine_basis();
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1)) << basis_name(basis);
    EXPECT_EQ(affine.rows(), 4096u);
  }
}

/// The message of the std::invalid_argument that `call` throws; empty when it throws none.
template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(WarpSpace, RefusesASvdBasisThatWouldNotFitInMemoryAndSaysHowMuchItWouldTake) {
  const std::string text = refusal([] { WarpSpace(kMaximumDenseCells + 1, true, Basis::svd); });
  EXPECT_NE(text.find("4097"), std::string::npos) << text;
  EXPECT_NE(text.find("GiB"), std::string::npos) << text;
  EXPECT_NE(text.find("sparse"), std::string::npos) << text;
}

TEST(WarpSpace, RefusesASingleCellWithZeroBoundary) {
  for (const Basis basis : kBases) {
    const std::string text = refusal([&] { WarpSpace(1, true, basis); });
    EXPECT_NE(text.find("at least 2 with zero_boundary, got 1"), std::string::npos) << text;
  }
  EXPECT_EQ(WarpSpace(1, false).dimension(), 2u);
}

TEST(WarpSpace, RefusesShapesAndValuesThatDoNotFit) {
  const WarpSpace space(5);
  const std::vector<double> theta(4, 0.0), velocities(6, 0.0);
  std::vector<double> short_velocities(5);
  EXPECT_EQ(refusal([&] { static_cast<void>(space.velocities(velocities)); }),
            "theta: expected shape (1, 4), got (1, 6)");
  EXPECT_EQ(refusal([&] { space.velocities(theta, short_velocities); }),
            "velocities: expected shape (1, 6), got (1, 5)");
  EXPECT_EQ(refusal([&] { static_cast<void>(space.theta(theta)); }), "velocities: expected shape (1, 6), got (1, 4)");
  EXPECT_NE(refusal([&] { space.theta_gradient(theta, short_velocities); }), "");
  const std::vector<double> broken = {0.0, std::numeric_limits<double>::quiet_NaN(), 0.0, 0.0};
  EXPECT_EQ(refusal([&] { static_cast<void>(space.velocities(broken)); }),
            "theta: expected finite values, got nan in row 0, column 1");
}

TEST(Basis, IsKnownByItsName) {
  for (const Basis basis : kBases) EXPECT_EQ(basis_from_name(basis_name(basis)), basis);
  EXPECT_EQ(refusal([] { static_cast<void>(basis_from_name("SVD")); }),
            "basis: expected svd, qr, rref or sparse, got \"SVD\"");
}

}  // namespace warp_space_test
}  // namespace diffeo
