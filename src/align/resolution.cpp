#include "align/resolution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace diffeo {
namespace {

constexpr std::size_t kCoarsestCells = 4;
constexpr double kSmoothings[] = {0.06, 0.03, 0.015, 0.005, 0.0};
/// Samples per standard deviation of the kernel; what is lost by interpolating between them is below a percent.
constexpr double kSamplesPerDeviation = 4.0;
constexpr double kKernelDeviations = 3.0;
/// Share of the kernel's weight that must fall on present values.
constexpr double kPresentShare = 0.5;

}  // namespace

std::vector<Resolution> resolutions(std::size_t cells) {
  std::vector<Resolution> result;
  std::size_t level_cells = kCoarsestCells;
  for (const double smoothing : kSmoothings) {
    result.push_back({smoothing == 0.0 ? cells : std::min(cells, level_cells), smoothing});
    level_cells *= 2;
  }
  return result;
}

std::size_t samples_at(std::size_t length, double smoothing) noexcept {
  if (smoothing == 0.0) return length;
  return std::min(length, static_cast<std::size_t>(std::ceil(kSamplesPerDeviation / smoothing)) + 1);
}

std::vector<double> velocities_on(std::span<const double> velocities, std::size_t cells) {
  std::vector<double> result(cells + 1);
  const std::size_t old_cells = velocities.size() - 1;
  for (std::size_t vertex = 0; vertex <= cells; ++vertex) {
    const std::size_t cell = std::min(vertex * old_cells / cells, old_cells - 1);
    const double fraction =
        static_cast<double>(vertex * old_cells) / static_cast<double>(cells) - static_cast<double>(cell);
    result[vertex] = velocities[cell] + (velocities[cell + 1] - velocities[cell]) * fraction;
  }
  return result;
}

const std::vector<Smoother::Window>& Smoother::windows(std::size_t length) {
  const auto [place, is_new] = windows_.try_emplace(length);
  if (!is_new) return place->second;
  const std::size_t count = samples_at(length, smoothing_);
  const double last = static_cast<double>(length - 1);
  const double deviation = smoothing_ * last;
  for (std::size_t sample = 0; sample < count; ++sample) {
    const double center = count == 1 ? 0.0 : static_cast<double>(sample) * last / static_cast<double>(count - 1);
    const double reach = kKernelDeviations * deviation;
    Window window;
    window.first = static_cast<std::size_t>(std::max(0.0, std::ceil(center - reach)));
    const std::size_t end = static_cast<std::size_t>(std::min(last, std::floor(center + reach))) + 1;
    for (std::size_t i = window.first; i < end; ++i) {
      const double distance = (static_cast<double>(i) - center) / deviation;
      window.weights.push_back(std::exp(-0.5 * distance * distance));
    }
    if (window.weights.empty()) {  // the kernel is narrower than a sample: nothing to smooth
      window.first = static_cast<std::size_t>(std::lround(center));
      window.weights.push_back(1.0);
    }
    place->second.push_back(std::move(window));
  }
  return place->second;
}

std::vector<double> Smoother::smoothed(SeriesView<const double> series) {
  if (smoothing_ == 0.0 || series.length < 2) return {series.values().begin(), series.values().end()};
  const std::vector<Window>& kernel = windows(series.length);
  std::vector<double> result;
  result.reserve(series.channels * kernel.size());
  for (std::size_t channel = 0; channel < series.channels; ++channel) {
    const std::span<const double> values = series.channel(channel);
    for (const Window& window : kernel) {
      double sum = 0.0;
      double present = 0.0;
      double whole = 0.0;
      for (std::size_t i = 0; i < window.weights.size(); ++i) {
        const double value = values[window.first + i];
        whole += window.weights[i];
        if (std::isnan(value)) continue;
        present += window.weights[i];
        sum += window.weights[i] * value;
      }
      result.push_back(present > kPresentShare * whole ? sum / present : std::numeric_limits<double>::quiet_NaN());
    }
  }
  return result;
}

}  // namespace diffeo
