// The basis `svd`. In a file of its own, because a decomposition of Eigen's takes a minute to compile, and several
// under sanitizers, which leave it out.
#include <Eigen/SVD>
#include <cmath>

#include "core/coordinates.hpp"

namespace diffeo {
namespace {

/// The sign that makes the first entry of at least half the largest magnitude positive. (The largest entry
/// itself would leave the sign of an antisymmetric mode to rounding.)
double sign_of_mode(const Eigen::VectorXd& mode) {
  const double half = 0.5 * mode.cwiseAbs().maxCoeff();
  for (const double entry : mode) {
    if (std::abs(entry) >= half) return entry < 0.0 ? -1.0 : 1.0;
  }
  return 1.0;
}

Eigen::MatrixXd dense_upper(const HatFactorization& hat) {
  const auto dimension = static_cast<Eigen::Index>(hat.dimension());
  Eigen::MatrixXd upper = Eigen::MatrixXd::Zero(dimension, dimension);
  upper.diagonal() = Eigen::Map<const Eigen::VectorXd>(hat.diagonal.data(), dimension);
  upper.diagonal(1) = Eigen::Map<const Eigen::VectorXd>(hat.upper.data(), dimension - 1);
  return upper;
}

}  // namespace

// The singular value is taken as |R v|, not as the decomposition gives it, so that every column of B has unit
// length to rounding even where the value is small beside the largest.
Modes make_svd(const HatFactorization& hat) {
  const std::size_t dimension = hat.dimension();
  const Eigen::BDCSVD<Eigen::MatrixXd> decomposition(dense_upper(hat), Eigen::ComputeFullV);
  Modes svd{Matrix(dimension, dimension), std::vector<double>(dimension)};
  for (std::size_t k = 0; k < dimension; ++k) {
    const Eigen::VectorXd mode = decomposition.matrixV().col(static_cast<Eigen::Index>(dimension - 1 - k));
    Eigen::VectorXd image = mode;
    multiply_upper(hat, {image.data(), dimension});
    svd.singular_values[k] = image.norm();
    const double scale = sign_of_mode(mode) / svd.singular_values[k];
    for (std::size_t i = 0; i < dimension; ++i) svd.modes(k, i) = scale * mode[static_cast<Eigen::Index>(i)];
  }
  return svd;
}

}  // namespace diffeo
