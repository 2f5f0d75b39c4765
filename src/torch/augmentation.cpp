#include "augmentation.hpp"

#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "diffeo/warp.hpp"

namespace diffeo {
namespace {

constexpr double kPriorVariance = 1.0;  // the scale makes up for any

/// The root of the mean squared velocity over vertices and draws: W Sigma W^T has the squares on its diagonal.
double typical_velocity(const Prior& prior) {
  const Matrix basis = prior.space().vertex_basis();
  const Matrix covariance = prior.covariance();
  double sum = 0.0;
  for (std::size_t vertex = 0; vertex < basis.rows(); ++vertex) {
    for (std::size_t i = 0; i < basis.columns(); ++i) {
      for (std::size_t j = 0; j < basis.columns(); ++j) sum += basis(vertex, i) * covariance(i, j) * basis(vertex, j);
    }
  }
  return std::sqrt(sum / static_cast<double>(basis.rows()));
}

}  // namespace

Augmentation::Augmentation(const WarpSpace& space, double length_scale, double size)
    : prior_(space, kPriorVariance, length_scale), scale_(size == 0.0 ? 0.0 : size / typical_velocity(prior_)) {}

Dataset Augmentation::operator()(const Dataset& own, const BatchShare& share, Random& random) const {
  Dataset chosen = own.subset(share.places);
  if (scale_ == 0.0) return chosen;
  const Matrix thetas = prior_.sample(share.cases, random.bits());
  const std::array<double, 1> time = {scale_};  // the flow of v for a time is that of time * v for 1
  for (std::size_t item = 0; item < chosen.cases(); ++item) {
    const auto row = static_cast<std::size_t>(share.positions[item]);
    const std::span<const double> theta = thetas.values().subspan(row * thetas.columns(), thetas.columns());
    const std::vector<double> velocities = prior_.space().velocities(theta);
    const SeriesView<double> series = chosen.series(item);
    const std::vector<double> before(series.values().begin(), series.values().end());
    warp<double>({Series<const double>(before.data(), 1, series.channels, series.length),
                  Rows<const double>(velocities.data(), 1, velocities.size()), time},
                 Series<double>(series.data, 1, series.channels, series.length), 1);
  }
  return chosen;
}

}  // namespace diffeo
