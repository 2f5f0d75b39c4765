#include "cli/timing_case.hpp"

#include <span>

#include "diffeo/log_slope.hpp"
#include "diffeo/prior.hpp"
#include "diffeo/random.hpp"
#include "diffeo/velocity.hpp"
#include "diffeo/warp_space.hpp"

namespace diffeo::cli {
namespace {

// Fields like those the paper times: they move points by about a tenth of the domain, across 3 of 30 cells.
constexpr std::size_t kCoarseCells = 30;
constexpr double kVariance = 0.3;
constexpr double kLengthScale = 0.1;

std::vector<double> spaced(std::size_t count) {
  std::vector<double> points(count);
  for (std::size_t j = 0; j < count; ++j) {
    points[j] = count == 1 ? 0.0 : static_cast<double>(j) / static_cast<double>(count - 1);
  }
  return points;
}

/// Vertex velocities of smooth random fields: (warps, cells + 1).
std::vector<double> smooth_fields(std::size_t cells, std::size_t warps, std::uint64_t seed) {
  const WarpSpace space(kCoarseCells, true, Basis::qr);
  const Matrix theta = Prior(space, kVariance, kLengthScale).sample(warps, seed);
  std::vector<double> coarse(warps * (kCoarseCells + 1));
  space.velocities(Rows<const double>(theta.values().data(), warps, theta.columns()),
                   Rows<double>(coarse.data(), warps, kCoarseCells + 1));
  const std::vector<double> vertices = spaced(cells + 1);
  std::vector<double> fine(warps * (cells + 1));
  velocity(Rows<const double>(coarse.data(), warps, kCoarseCells + 1), Rows<const double>(std::span(vertices)),
           Domain{}, Rows<double>(fine.data(), warps, cells + 1));
  return fine;
}

template <class Real>
std::vector<Real> rounded(const std::vector<double>& values) {
  std::vector<Real> result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) result[i] = static_cast<Real>(values[i]);
  return result;
}

template <class Real>
std::vector<Real> normal_numbers(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<Real> result(count);
  for (Real& value : result) value = static_cast<Real>(random.normal());
  return result;
}

}  // namespace

template <class Real>
TimingCase<Real>::TimingCase(CaseSize size, std::uint64_t seed)
    : size_(size),
      velocities_(rounded<Real>(smooth_fields(size.cells, size.warps, seed))),
      points_(rounded<Real>(spaced(size.points))),
      cotangents_(normal_numbers<Real>(size.points * size.warps, seed)),
      values_(size.points * size.warps),
      velocity_gradients_(velocities_.size()) {}

template <class Real>
FlowProblem<Real> TimingCase<Real>::problem() const noexcept {
  return {velocities(), Rows<const Real>(std::span(points_)), std::span(&time_, 1)};
}

template <class Real>
Rows<Real> TimingCase<Real>::values() noexcept {
  return {values_.data(), size_.warps, size_.points};
}

template <class Real>
Rows<const Real> TimingCase<Real>::cotangents() const noexcept {
  return {cotangents_.data(), size_.warps, size_.points};
}

template <class Real>
FlowGradients<Real> TimingCase<Real>::gradients() noexcept {
  return {.velocities = {velocity_gradients_.data(), size_.warps, size_.cells + 1}};
}

template <class Real>
void TimingCase<Real>::flow(std::size_t threads) {
  diffeo::flow(problem(), values(), threads);
}

template <class Real>
void TimingCase<Real>::flow_vjp(std::size_t threads) {
  diffeo::flow_vjp(problem(), cotangents(), gradients(), threads);
}

template <class Real>
void TimingCase<Real>::log_slope(std::size_t threads) {
  diffeo::flow_log_slope(problem(), values(), threads);
}

template <class Real>
void TimingCase<Real>::log_slope_vjp(std::size_t threads) {
  diffeo::flow_log_slope_vjp(problem(), cotangents(), gradients(), threads);
}

template class TimingCase<float>;
template class TimingCase<double>;

}  // namespace diffeo::cli
