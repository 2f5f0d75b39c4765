#include "report/drawing_plan.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "diffeo/random.hpp"

namespace diffeo::report {
namespace {

constexpr std::size_t kMostBytes = 2'600'000;  // of numbers before base64, which adds a third: leaves room below 5 MB
constexpr std::size_t kMostClasses = 100;
constexpr std::size_t kMostChannels = 24;
constexpr std::size_t kFewestPoints = 96;  // a curve still looks like itself; below, something else is reduced
constexpr std::size_t kFloat = 4;
constexpr std::size_t kDouble = 8;

/// How large the numbers of a drawing are.
struct Size {
  std::size_t classes, cases, channels, points;
  std::size_t vertices;  // of all layers
  std::size_t centroids;

  [[nodiscard]] std::size_t bytes() const {
    const std::size_t lines = 2 * cases + 4 * classes + centroids;  // before and after: series, means and spreads
    return lines * channels * points * kFloat + cases * vertices * kDouble;
  }
};

/// Points first, then series, then channels; the fewest points are given up only when nothing else is left.
Size fitted(Size size) {
  while (size.bytes() > kMostBytes) {
    if (size.points > kFewestPoints) {
      size.points = std::max(kFewestPoints, size.points * 3 / 4);
    } else if (size.cases > size.classes) {
      size.cases = std::max(size.classes, size.cases * 3 / 4);
    } else if (size.channels > 1) {
      --size.channels;
    } else if (size.classes > 1) {
      size.classes = size.classes * 3 / 4;
      size.cases = size.classes;
    } else {
      break;
    }
  }
  return size;
}

std::vector<std::size_t> chosen(std::vector<std::size_t> items, std::size_t count, Random& random) {
  for (std::size_t i = 0; i < count; ++i) std::swap(items[i], items[i + random.below(items.size() - i)]);
  items.resize(count);
  std::ranges::sort(items);
  return items;
}

}  // namespace

std::size_t DrawingPlan::cases() const {
  std::size_t count = 0;
  for (const auto& group : items) count += group.size();
  return count;
}

std::vector<std::size_t> shared_out(std::span<const std::size_t> sizes, std::size_t total) {
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return sizes[a] < sizes[b]; });
  std::vector<std::size_t> shares(sizes.size());
  std::size_t left = std::max(total, sizes.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    shares[order[i]] = std::min(sizes[order[i]], left / (order.size() - i));
    left -= shares[order[i]];
  }
  return shares;
}

DrawingPlan plan_drawing(const AlignmentReport& report, const ReportFigures& figures, const ReportDrawing& drawing) {
  std::size_t vertices = 0;
  for (const Matrix& layer : report.velocities) vertices += layer.columns();
  const std::size_t length =
      std::max({report.series.longest(), report.aligned ? report.aligned->longest() : 0, report.centroids.longest()});
  const Size size = fitted({.classes = std::min(figures.groups.size(), kMostClasses),
                            .cases = std::clamp(drawing.cases, std::size_t{1}, report.series.cases()),
                            .channels = std::min(report.series.channels(), kMostChannels),
                            .points = std::min(length, std::max(drawing.points, std::size_t{2})),
                            .vertices = vertices,
                            .centroids = std::min(report.centroids.cases(), kMostCentroids)});
  std::vector<std::size_t> sizes;
  for (std::size_t group = 0; group < size.classes; ++group) sizes.push_back(figures.groups[group].items.size());
  const std::vector<std::size_t> shares = shared_out(sizes, size.cases);
  DrawingPlan plan{.items = {}, .points = size.points, .channels = size.channels};
  Random random(drawing.seed);
  for (std::size_t group = 0; group < size.classes; ++group) {
    plan.items.push_back(chosen(figures.groups[group].items, shares[group], random));
  }
  return plan;
}

}  // namespace diffeo::report
