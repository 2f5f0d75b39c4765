#include "diffeo/prior.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace diffeo {
namespace prior_test {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr Basis kBases[] = {Basis::svd, Basis::qr, Basis::rref, Basis::sparse};
constexpr std::size_t kCells = 24;
// Going from theta to the orthonormal coordinates and back loses rounding times the condition of the basis:
// with 24 cells on the domains used here 160 at most (rref), and some tens of operations each way.
constexpr double kBasisTolerance = 1e4 * kEpsilon;
// The precision further multiplies errors by the square root of the covariance's condition, cells /
// kPriorJitter, once.
constexpr double kPrecisionTolerance = 5e3 * kBasisTolerance;

#ifdef DIFFEO_SANITIZED
constexpr std::size_t kLargestSize = 64;
#else
constexpr std::size_t kLargestSize = 512;
#endif

Eigen::Map<const RowMajor> view(const Matrix& matrix) {
  return {matrix.values().data(), static_cast<Eigen::Index>(matrix.rows()),
          static_cast<Eigen::Index>(matrix.columns())};
}

double relative_difference(const Eigen::MatrixXd& x, const Eigen::MatrixXd& y) { return (x - y).norm() / y.norm(); }

/// Sigma_PA as the header defines it, entry by entry.
Eigen::MatrixXd affine_covariance(std::size_t cells, double variance, double length_scale) {
  const auto size = static_cast<Eigen::Index>(2 * cells);
  Eigen::MatrixXd sigma = Eigen::MatrixXd::Zero(size, size);
  for (Eigen::Index i = 0; i < size; ++i) {
    for (Eigen::Index j = i % 2; j < size; j += 2) {
      const double distance = static_cast<double>(i / 2 - j / 2) / static_cast<double>(cells);
      sigma(i, j) = variance * std::exp(-distance * distance / (2.0 * length_scale * length_scale));
    }
    sigma(i, i) += variance * kPriorJitter;
  }
  return sigma;
}

/// The theta of a smooth field and of a rough one.
std::vector<std::vector<double>> some_fields(const WarpSpace& space) {
  std::vector<double> smooth(space.tessellation().vertices()), rough(smooth.size());
  for (std::size_t j = 0; j < smooth.size(); ++j) {
    const double x = static_cast<double>(j) / static_cast<double>(space.tessellation().cells());
    smooth[j] = x * (1.0 - x);
    rough[j] = (j % 2 == 0 ? 0.1 : -0.2) * x * (1.0 - x);
  }
  return {space.theta(smooth), space.theta(rough)};
}

TEST(Prior, HasTheCovarianceOfThePaperInTheOrthonormalBases) {
  for (const bool zero_boundary : {false, true}) {
    for (const Basis basis : {Basis::svd, Basis::qr}) {
      const WarpSpace space(kCells, zero_boundary, basis);
      const Matrix affine = space.affine_basis();
      const Eigen::MatrixXd expected = view(affine).transpose() * affine_covariance(kCells, 0.02, 0.3) * view(affine);
      EXPECT_LE(relative_difference(view(Prior(space, 0.02, 0.3).covariance()), expected), kBasisTolerance);
    }
  }
}

TEST(Prior, HasTheCovarianceOfThePseudoInverseInEveryBasis) {
  for (const bool zero_boundary : {false, true}) {
    for (const Basis basis : kBases) {
      const WarpSpace space(kCells, zero_boundary, basis, -0.5, 2.0);
      const Matrix affine = space.affine_basis();
      const Eigen::MatrixXd inverse = view(affine).completeOrthogonalDecomposition().pseudoInverse();
      const Eigen::MatrixXd expected = inverse * affine_covariance(kCells, 1e-3, 0.1) * inverse.transpose();
      EXPECT_LE(relative_difference(view(Prior(space).covariance()), expected), kBasisTolerance) << basis_name(basis);
    }
  }
}

TEST(Prior, IsTheSameDistributionOfVelocityFieldsInEveryBasis) {
  for (const bool zero_boundary : {false, true}) {
    const WarpSpace sparse(kCells, zero_boundary, Basis::sparse);
    const Matrix expected = Prior(sparse).covariance();
    const Eigen::Index skip = zero_boundary ? 1 : 0;
    for (const Basis basis : kBases) {
      const WarpSpace space(kCells, zero_boundary, basis);
      const Matrix w = space.vertex_basis();
      const Eigen::MatrixXd fields = view(w) * view(Prior(space).covariance()) * view(w).transpose();
      const Eigen::MatrixXd free = fields.block(skip, skip, view(expected).rows(), view(expected).cols());
      EXPECT_LE(relative_difference(free, view(expected)), kBasisTolerance) << basis_name(basis);
    }
  }
}

TEST(Prior, PenalizesAFieldTheSameInEveryBasis) {
  const WarpSpace reference_space(kCells, true, Basis::qr);
  const Prior reference(reference_space);
  const auto expected = some_fields(reference_space);
  for (const Basis basis : kBases) {
    const WarpSpace space(kCells, true, basis);
    const Prior prior(space);
    const auto fields = some_fields(space);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const double penalty = reference.penalty(expected[i]);
      EXPECT_NEAR(prior.penalty(fields[i]), penalty, kPrecisionTolerance * penalty) << basis_name(basis);
    }
  }
}

TEST(Prior, PenalizesRoughFieldsMoreThanSmoothOnes) {
  const WarpSpace space(kCells);
  const auto fields = some_fields(space);
  EXPECT_GT(Prior(space).penalty(fields[1]), 100.0 * Prior(space).penalty(fields[0]));
}

TEST(Prior, HasAPrecisionThatInvertsItsCovariance) {
  for (const Basis basis : kBases) {
    const Prior prior(WarpSpace(kCells, true, basis));
    const Matrix covariance = prior.covariance(), precision = prior.precision();
    const Eigen::MatrixXd product = view(precision) * view(covariance);
    // Entries of the product are sums of terms as large as |precision| |covariance|.
    const double tolerance = 10.0 * kEpsilon * view(precision).norm() * view(covariance).norm();
    EXPECT_LE((product - Eigen::MatrixXd::Identity(product.rows(), product.cols())).cwiseAbs().maxCoeff(), tolerance)
        << basis_name(basis);
    EXPECT_LT(tolerance, 0.1) << "or the comparison says nothing";
  }
}

TEST(Prior, HasThePenaltyOfItsPrecision) {
  for (const Basis basis : kBases) {
    const WarpSpace space(kCells, false, basis);
    const Prior prior(space);
    const Matrix precision = prior.precision();
    for (const std::vector<double>& theta : some_fields(space)) {
      const Eigen::Map<const Eigen::VectorXd> vector(theta.data(), view(precision).rows());
      const double scale = vector.cwiseAbs().dot(view(precision).cwiseAbs() * vector.cwiseAbs());
      EXPECT_NEAR(prior.penalty(theta), vector.dot(view(precision) * vector), 100.0 * kEpsilon * scale);
    }
  }
}

TEST(Prior, IsSymmetricAndWithoutANegativeEigenvalueAtLargeSizes) {
  for (const bool zero_boundary : {false, true}) {
    for (const Basis basis : kBases) {
      const Prior prior(WarpSpace(kLargestSize, zero_boundary, basis));
      for (const Matrix& matrix : {prior.covariance(), prior.precision()}) {
        EXPECT_EQ(view(matrix), view(matrix).transpose());
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(view(matrix), Eigen::EigenvaluesOnly);
        // Orthonormal bases leave the smallest eigenvalue 1e-8 of the largest. The others multiply that by
        // the square of their condition number, down to 3e-15, where an eigenvalue solver's own rounding
        // begins to count.
        const bool orthonormal = basis == Basis::svd || basis == Basis::qr;
        const double rounding = orthonormal ? 0.0 : 10.0 * kEpsilon * solver.eigenvalues().maxCoeff();
        EXPECT_GT(solver.eigenvalues().minCoeff(), -rounding) << basis_name(basis);
      }
    }
  }
}

TEST(Prior, DrawsSamplesWithItsCovariance) {
  constexpr std::size_t kDraws = 40'000;
  const Prior prior(WarpSpace(6, true, Basis::qr), 0.5, 0.2);
  const Matrix covariance = prior.covariance(), draws = prior.sample(kDraws, 11);
  const Eigen::MatrixXd found = view(draws).transpose() * view(draws) / static_cast<double>(kDraws);
  for (Eigen::Index i = 0; i < found.rows(); ++i) {
    for (Eigen::Index j = 0; j < found.cols(); ++j) {
      // The variance of one product x_i x_j of normal numbers is S_ii S_jj + S_ij^2; five deviations of the
      // mean.
      const double deviation = std::sqrt(
          (view(covariance)(i, i) * view(covariance)(j, j) + view(covariance)(i, j) * view(covariance)(i, j)) /
          static_cast<double>(kDraws));
      EXPECT_NEAR(found(i, j), view(covariance)(i, j), 5.0 * deviation);
    }
  }
}

TEST(Prior, DrawsTheSameVelocityFieldsInEveryBasisForTheSameSeed) {
  const WarpSpace reference(kCells, true, Basis::qr);
  const Matrix expected = Prior(reference).sample(3, 5);
  for (const Basis basis : kBases) {
    const WarpSpace space(kCells, true, basis);
    const Matrix draws = Prior(space).sample(3, 5);
    for (std::size_t row = 0; row < 3; ++row) {
      const std::vector<double> found = space.velocities(draws.row(row));
      const std::vector<double> wanted = reference.velocities(expected.row(row));
      const double scale =
          *std::max_element(wanted.begin(), wanted.end(), [](double x, double y) { return std::abs(x) < std::abs(y); });
      for (std::size_t j = 0; j < wanted.size(); ++j) {
        EXPECT_NEAR(found[j], wanted[j], kBasisTolerance * std::abs(scale)) << basis_name(basis);
      }
    }
  }
}

TEST(Prior, DrawsTheSameForTheSameSeedAndElseForAnother) {
  const Prior prior{WarpSpace(kCells)};
  const Matrix one = prior.sample(4, 1), same = prior.sample(4, 1), longer = prior.sample(8, 1),
               other = prior.sample(4, 2);
  EXPECT_EQ(view(one), view(same));
  EXPECT_EQ(view(one), view(longer).topRows(4));
  EXPECT_NE(view(one), view(other));
}

TEST(Prior, HasTheGradientThatCentralDifferencesOfThePenaltyGive) {
  for (const Basis basis : kBases) {
    const Prior prior(WarpSpace(10, true, basis), 1e-3, 0.3);
    const Matrix draws = prior.sample(1, 3);
    std::vector<double> theta(draws.row(0).begin(), draws.row(0).end()), gradient(theta.size());
    prior.penalty_gradient(theta, gradient);
    const double scale = Eigen::Map<Eigen::VectorXd>(gradient.data(), view(draws).cols()).norm();
    for (std::size_t k = 0; k < theta.size(); ++k) {
      // A quadratic: central differences are exact but for rounding, whatever the step; a large step keeps
      // that small.
      const double step = 0.1 * Eigen::Map<Eigen::VectorXd>(theta.data(), view(draws).cols()).norm(), middle = theta[k];
      theta[k] = middle + step;
      const double above = prior.penalty(theta);
      theta[k] = middle - step;
      const double below = prior.penalty(theta);
      theta[k] = middle;
      EXPECT_NEAR(gradient[k], (above - below) / (2.0 * step), 100.0 * kEpsilon * (above + below) / step + 1e-9 * scale)
          << basis_name(basis);
    }
  }
}

TEST(Prior, ScalesWithTheVariance) {
  const WarpSpace space(kCells);
  const std::vector<double> theta = some_fields(space)[0];
  EXPECT_NEAR(Prior(space, 4e-3).penalty(theta), Prior(space, 1e-3).penalty(theta) / 4.0,
              1e-12 * Prior(space).penalty(theta));
}

TEST(Prior, StaysPositiveDefiniteAtExtremeLengthScales) {
  for (const double length_scale : {1e-300, 1e-3, 1e3, 1e300}) {
    const WarpSpace space(kCells);
    EXPECT_GT(Prior(space, 1.0, length_scale).penalty(some_fields(space)[0]), 0.0);
  }
}

TEST(Prior, HoldsOnDomainsOfAnySize) {
  for (const bool zero_boundary : {false, true}) {
    for (const auto& [lower, upper] : {std::pair(2.0, 5.0), {-3.0, 7.0}, {0.0, 1e-6}, {0.0, 255.0}, {1e6, 1e6 + 1.0}}) {
      for (const Basis basis : kBases) {
        const Prior prior(WarpSpace(kCells, zero_boundary, basis, lower, upper));
        EXPECT_TRUE(view(prior.covariance()).allFinite());
        const Matrix draws = prior.sample(1, 4);
        const double penalty = prior.penalty(draws.row(0));
        // The penalty of a draw is chi-squared with d degrees of freedom, mean d and variance 2 d. Where the
        // basis is so badly conditioned that theta does not determine rough fields to their prior's
        // precision, it can only be more.
        EXPECT_GT(penalty, 5.0);
        if (basis == Basis::qr) {
          EXPECT_LT(penalty, 70.0);
        }
      }
    }
  }
}

TEST(Prior, RefusesParametersThatAreNotPositive) {
  const WarpSpace space(5);
  for (const double bad :
       {0.0, -1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(Prior(space, bad, 0.1), std::invalid_argument);
    EXPECT_THROW(Prior(space, 1e-3, bad), std::invalid_argument);
  }
}

TEST(Prior, RefusesThetaOfTheWrongLengthOrNotFinite) {
  const Prior prior{WarpSpace(5)};
  const std::vector<double> wrong(5);
  std::vector<double> right(4), out(5), broken(4, std::numeric_limits<double>::quiet_NaN());
  EXPECT_THROW(static_cast<void>(prior.penalty(broken)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(prior.penalty(wrong)), std::invalid_argument);
  EXPECT_THROW(prior.penalty_gradient(wrong, right), std::invalid_argument);
  EXPECT_THROW(prior.penalty_gradient(right, out), std::invalid_argument);
}

TEST(Prior, RefusesSizesThatWouldNotFitInMemoryAndSaysHowMuchTheyWouldTake) {
  try {
    Prior(WarpSpace(kMaximumDenseCells + 1, true, Basis::sparse));
    FAIL() << "expected std::invalid_argument";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("GiB"), std::string::npos) << error.what();
  }
}

}  // namespace prior_test
}  // namespace diffeo
