// Aligns one series to another: gradient descent on the velocities of the warp.
//
//   loss(theta) = mean square of (warp(source, W theta) - target)
//
// warp_vjp carries the gradient of the loss back to the velocities, theta_gradient from there to theta.
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

#include "diffeo/warp.hpp"
#include "diffeo/warp_space.hpp"

namespace {

constexpr std::size_t kLength = 200;
constexpr int kSteps = 300;
constexpr double kStepLength = 0.5;

/// A high and a low bump around the given centers.
std::vector<double> two_bumps(double first, double second) {
  std::vector<double> series(kLength);
  for (std::size_t j = 0; j < kLength; ++j) {
    const double x = static_cast<double>(j) / (kLength - 1);
    const auto bump = [x](double center) { return std::exp(-std::pow((x - center) / 0.08, 2)); };
    series[j] = bump(first) + 0.6 * bump(second);
  }
  return series;
}

diffeo::Series<const double> one_series(const std::vector<double>& values) {
  return {values.data(), 1, 1, values.size()};
}

struct Loss {
  double value;
  std::vector<double> gradient;  // by velocities
};

Loss loss_of(const std::vector<double>& source, const std::vector<double>& target,
             const std::vector<double>& velocities) {
  const double time = 1.0;
  const diffeo::WarpProblem<double> problem{one_series(source), diffeo::Rows<const double>(std::span(velocities)),
                                            std::span(&time, 1)};
  std::vector<double> warped(target.size());
  diffeo::warp(problem, {warped.data(), 1, 1, warped.size()});

  Loss loss{0.0, std::vector<double>(velocities.size())};
  std::vector<double> cotangents(target.size());
  for (std::size_t j = 0; j < target.size(); ++j) {
    const double difference = warped[j] - target[j];
    loss.value += difference * difference / static_cast<double>(target.size());
    cotangents[j] = 2.0 * difference / static_cast<double>(target.size());
  }
  diffeo::WarpGradients<double> gradients;
  gradients.velocities = diffeo::Rows<double>(std::span(loss.gradient));
  diffeo::warp_vjp(problem, one_series(cotangents), gradients);
  return loss;
}

}  // namespace

int main() {
  const std::vector<double> source = two_bumps(0.30, 0.62);
  const std::vector<double> target = two_bumps(0.38, 0.75);
  const diffeo::WarpSpace space(12);
  std::vector<double> theta(space.dimension(), 0.0);
  std::vector<double> theta_gradient(space.dimension());

  double first = 0.0;
  double last = 0.0;
  for (int step = 0; step <= kSteps; ++step) {
    const Loss loss = loss_of(source, target, space.velocities(theta));
    (step == 0 ? first : last) = loss.value;
    if (step % 50 == 0) std::printf("step %3d   loss %.6f\n", step, loss.value);
    space.theta_gradient(loss.gradient, theta_gradient);
    for (std::size_t k = 0; k < theta.size(); ++k) theta[k] -= kStepLength * theta_gradient[k];
  }
  const bool aligned = last < 0.01 * first;
  std::printf("%s: %.2g of the difference is left\n", aligned ? "aligned" : "not aligned", last / first);
  return aligned ? 0 : 1;
}
