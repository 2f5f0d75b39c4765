#include "diffeo/prior.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/dense_limit.hpp"
#include "core/hat_map.hpp"
#include "diffeo/error.hpp"
#include "diffeo/random.hpp"

namespace diffeo {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Index index(std::size_t value) { return static_cast<Eigen::Index>(value); }
std::span<double> view(Eigen::VectorXd& vector) { return {vector.data(), static_cast<std::size_t>(vector.size())}; }

/// Q^T X by the rotations that made R, row by row: `rows_of_cell(cell, a, b)` gives the two rows of X for a
/// cell. Exact to rounding whatever the condition of H, which multiplying by H and solving with R is not.
template <class RowsOfCell>
RowMajor transposed_q_product(const HatFactorization& hat, Eigen::Index columns, const RowsOfCell& rows_of_cell) {
  RowMajor result(index(hat.dimension()), columns);
  Eigen::RowVectorXd carried = Eigen::RowVectorXd::Zero(columns);
  Eigen::RowVectorXd a(columns), b(columns), first(columns);
  Eigen::Index finished = 0;
  for (std::size_t cell = 0; cell < hat.rotations.size(); ++cell) {
    const CellRotations& turn = hat.rotations[cell];
    rows_of_cell(index(cell), a, b);
    first = turn.slope_weight * a + turn.offset_weight * b;
    if (hat.zero_boundary && cell == 0) {
      carried = first;
      continue;
    }
    result.row(finished++) = turn.carry_cosine * carried + turn.carry_sine * first;
    carried = turn.remainder_cosine * (turn.carry_cosine * first - turn.carry_sine * carried) +
              turn.remainder_sine * (turn.offset_weight * a - turn.slope_weight * b);
  }
  if (!hat.zero_boundary) result.row(finished) = carried;
  return result;
}

/// Row `cell` of K.
Eigen::RowVectorXd correlations(Eigen::Index cell, Eigen::Index cells, double length_scale) {
  return Eigen::RowVectorXd::NullaryExpr(cells, [=](Eigen::Index other) {
    const double distance = static_cast<double>(cell - other) / static_cast<double>(cells) / length_scale;
    return std::exp(-0.5 * distance * distance);
  });
}

/// Q^T (K (x) I_2) Q + jitter: the covariance of q for unit variance. One product from either side.
Eigen::MatrixXd unit_covariance(const HatFactorization& hat, double length_scale) {
  const Eigen::Index cells = index(hat.rotations.size());
  const RowMajor left = transposed_q_product(hat, 2 * cells, [&](Eigen::Index cell, auto& a, auto& b) {
    const Eigen::RowVectorXd row = correlations(cell, cells, length_scale);
    for (Eigen::Index other = 0; other < cells; ++other) {
      a[2 * other] = b[2 * other + 1] = row[other];
      a[2 * other + 1] = b[2 * other] = 0.0;
    }
  });
  Eigen::MatrixXd covariance = transposed_q_product(hat, left.rows(), [&](Eigen::Index cell, auto& a, auto& b) {
    a = left.col(2 * cell).transpose();
    b = left.col(2 * cell + 1).transpose();
  });
  covariance.diagonal().array() += kPriorJitter;
  return covariance;
}

/// X X^T, symmetric to the last bit.
Matrix gram_of_rows(const Eigen::MatrixXd& x) {
  Eigen::MatrixXd lower = Eigen::MatrixXd::Zero(x.rows(), x.rows());
  lower.selfadjointView<Eigen::Lower>().rankUpdate(x);
  Matrix gram(static_cast<std::size_t>(x.rows()), static_cast<std::size_t>(x.rows()));
  Eigen::Map<RowMajor>(gram.values().data(), x.rows(), x.rows()) = lower.selfadjointView<Eigen::Lower>();
  return gram;
}

void require_theta(std::span<const double> theta, std::size_t dimension) {
  require(theta.size() == dimension, "theta: expected ", dimension, " values, got ", theta.size());
  for (const double value : theta) require(std::isfinite(value), "theta: expected finite values, got ", value);
}

double checked_positive(const char* name, double value) {
  require(std::isfinite(value) && value > 0.0, name, ": expected a finite number above 0, got ", value);
  return value;
}

}  // namespace

/// The factors, and the change between theta and q: q = R v over the free vertex velocities v of theta.
struct Prior::Parts {
  HatFactorization hat;
  Eigen::MatrixXd factor;  // F, lower triangular

  [[nodiscard]] auto lower() const { return factor.triangularView<Eigen::Lower>(); }
  [[nodiscard]] std::size_t skipped() const { return hat.zero_boundary ? 1 : 0; }

  /// q = C theta; nothing to do, and nothing to lose to rounding, where theta is q.
  [[nodiscard]] Eigen::VectorXd orthonormal(const WarpSpace& space, std::span<const double> theta) const {
    Eigen::VectorXd q(index(theta.size()));
    if (space.basis() == Basis::qr) {
      std::copy(theta.begin(), theta.end(), q.begin());
      return q;
    }
    const std::vector<double> velocities = space.velocities(theta);
    std::copy_n(velocities.begin() + static_cast<std::ptrdiff_t>(skipped()), theta.size(), q.begin());
    multiply_upper(hat, view(q));
    return q;
  }

  /// theta = C^{-1} q.
  void theta(const WarpSpace& space, Eigen::VectorXd q, std::span<double> theta) const {
    if (space.basis() == Basis::qr) {
      std::copy(q.begin(), q.end(), theta.begin());
      return;
    }
    solve_upper(hat, view(q));
    std::vector<double> velocities(space.tessellation().vertices(), 0.0);
    std::copy(q.begin(), q.end(), velocities.begin() + static_cast<std::ptrdiff_t>(skipped()));
    space.theta(velocities, theta);
  }

  /// gradient = C^T q.
  void gradient(const WarpSpace& space, Eigen::VectorXd q, std::span<double> gradient) const {
    if (space.basis() == Basis::qr) {
      std::copy(q.begin(), q.end(), gradient.begin());
      return;
    }
    multiply_upper_transposed(hat, view(q));
    std::vector<double> velocities(space.tessellation().vertices(), 0.0);
    std::copy(q.begin(), q.end(), velocities.begin() + static_cast<std::ptrdiff_t>(skipped()));
    space.theta_gradient(velocities, gradient);
  }
};

Prior::Prior(const WarpSpace& space, double variance, double length_scale)
    : space_(space),
      variance_(checked_positive("variance", variance)),
      length_scale_(checked_positive("length_scale", length_scale)) {
  const auto cells = static_cast<double>(space.tessellation().cells());
  require_dense_cells(space.tessellation().cells(), "a prior, which is stored dense", 4.0 * cells * cells);
  HatFactorization hat = factorize_hat_map(space.tessellation(), space.zero_boundary());
  const Eigen::LLT<Eigen::MatrixXd> cholesky(unit_covariance(hat, length_scale));
  // The jitter keeps every eigenvalue above 1e-6, rounding moves them by 1e-11 at most.
  if (cholesky.info() != Eigen::Success) throw std::runtime_error("prior: the covariance is not positive definite");
  Eigen::MatrixXd factor = cholesky.matrixL();
  factor *= std::sqrt(variance);
  parts_ = std::make_shared<const Parts>(Parts{std::move(hat), std::move(factor)});
}

Matrix Prior::covariance() const {
  Eigen::MatrixXd x(parts_->factor.rows(), parts_->factor.cols());
  Eigen::VectorXd column(x.rows());
  for (Eigen::Index k = 0; k < x.cols(); ++k) {
    parts_->theta(space_, parts_->factor.col(k), view(column));
    x.col(k) = column;
  }
  return gram_of_rows(x);
}

Matrix Prior::precision() const {
  Eigen::MatrixXd x(parts_->factor.rows(), parts_->factor.cols());
  Eigen::VectorXd unit = Eigen::VectorXd::Zero(x.rows());
  for (Eigen::Index k = 0; k < x.cols(); ++k) {
    unit[k] = 1.0;
    x.col(k) = parts_->orthonormal(space_, view(unit));
    unit[k] = 0.0;
  }
  parts_->lower().solveInPlace(x);
  return gram_of_rows(x.transpose());
}

double Prior::penalty(std::span<const double> theta) const {
  require_theta(theta, dimension());
  return parts_->lower().solve(parts_->orthonormal(space_, theta)).squaredNorm();
}

void Prior::penalty_gradient(std::span<const double> theta, std::span<double> gradient) const {
  require_theta(theta, dimension());
  require(gradient.size() == dimension(), "gradient: expected ", dimension(), " values, got ", gradient.size());
  Eigen::VectorXd q = 2.0 * parts_->orthonormal(space_, theta);
  parts_->lower().solveInPlace(q);
  parts_->factor.transpose().triangularView<Eigen::Upper>().solveInPlace(q);
  parts_->gradient(space_, std::move(q), gradient);
}

Matrix Prior::sample(std::size_t count, std::uint64_t seed) const {
  Matrix draws(count, dimension());
  Random random(seed);
  Eigen::VectorXd normals(index(dimension()));
  for (std::size_t row = 0; row < count; ++row) {
    for (double& normal : normals) normal = random.normal();
    parts_->theta(space_, parts_->lower() * normals, draws.values().subspan(row * dimension(), dimension()));
  }
  return draws;
}

}  // namespace diffeo
