#include "diffeo/warp.hpp"

#include <algorithm>

#include "core/argument_checks.hpp"
#include "core/field_workspace.hpp"
#include "core/groups.hpp"
#include "core/interpolation.hpp"
#include "core/sample_clock.hpp"
#include "diffeo/threads.hpp"

namespace diffeo {
namespace {

/// Output samples handled together: their positions stay in the first-level cache.
constexpr std::size_t kBlockSamples = 1024;

template <class Real>
void require_warp_problem(const WarpProblem<Real>& problem) {
  require(problem.series.time >= 1, "series: expected at least 1 time step, got 0");
  require(problem.velocities.columns >= 2, "velocities: expected at least 2 columns, one per vertex, got ",
          problem.velocities.columns);
  require_row_per_item("velocities", problem.velocities, problem.series.cases);
  require_finite("velocities", problem.velocities);
  require_times(problem.times, problem.series.cases);
}

template <class Real>
void require_warped_shape(const char* name, const WarpProblem<Real>& problem, Series<const Real> warped) {
  require(warped.cases == problem.series.cases && warped.channels == problem.series.channels && warped.time >= 1, name,
          ": expected shape (", problem.series.cases, ", ", problem.series.channels, ", at least 1), got (",
          warped.cases, ", ", warped.channels, ", ", warped.time, ")");
}

/// Time counted in samples: a domain [0, last], the same output grid for all cases, velocities times `last`.
template <class Real>
class SampleClock {
 public:
  SampleClock(const WarpProblem<Real>& problem, std::size_t length)
      : last_(last_sample(problem.series.time)),
        grid_(Tessellation(problem.velocities.columns - 1, 0.0, last_)),
        points_(length) {
    const SamplePoints<Real> points(last_, length);
    for (std::size_t j = 0; j < length; ++j) points_[j] = points[j];
  }
  [[nodiscard]] double last() const noexcept { return last_; }
  [[nodiscard]] kernels::Grid grid() const noexcept { return grid_.view(); }
  [[nodiscard]] std::span<const Real> points(std::size_t first, std::size_t count) const noexcept {
    return std::span(points_).subspan(first, count);
  }

 private:
  double last_;
  VertexGrid<Real> grid_;
  std::vector<Real> points_;
};

/// What one thread needs.
template <class Real>
struct WarpWorker {
  FieldWorkspace<Real> field;
  std::vector<Real> velocities;                          // in samples per unit of time
  std::vector<Real> positions;                           // of one block
  std::vector<interpolation::Location<Real>> locations;  // of one block, in samples
  std::vector<double> by_position;                       // of one block
  std::vector<Real> position_cotangents;
  std::vector<double> by_series;  // of one case
  std::vector<Real> velocity_gradient;

  WarpWorker(const SampleClock<Real>& clock, const WarpProblem<Real>& problem, bool gradients)
      : field(clock.grid(), kBlockSamples),
        velocities(problem.velocities.columns),
        positions(kBlockSamples),
        locations(kBlockSamples),
        by_position(gradients ? kBlockSamples : 0),
        position_cotangents(by_position.size()),
        by_series(gradients ? problem.series.channels * problem.series.time : 0),
        velocity_gradient(gradients ? velocities.size() : 0) {}

  void build(const SampleClock<Real>& clock, const WarpProblem<Real>& problem, std::size_t item,
             bool derivatives) noexcept {
    const std::span<const Real> row = problem.velocities.row(item);
    std::transform(row.begin(), row.end(), velocities.begin(),
                   [&](Real velocity) { return in_samples(velocity, clock.last()); });
    field.build(velocities, problem.time(item), derivatives);
  }

  /// Where the warp takes `points`; valid until the next call.
  std::span<const interpolation::Location<Real>> locate(std::span<const Real> points, std::size_t time) noexcept {
    field.values(Quantity::kPosition, points, true, positions.data());
    interpolation::locate_row<Real>({positions.data(), points.size()}, time, locations.data());
    return {locations.data(), points.size()};
  }
};

template <class Real>
std::vector<WarpWorker<Real>> workers_for(const SampleClock<Real>& clock, const WarpProblem<Real>& problem,
                                          std::size_t count, bool gradients) {
  std::vector<WarpWorker<Real>> workers;
  workers.reserve(count);
  for (std::size_t i = 0; i < count; ++i) workers.emplace_back(clock, problem, gradients);
  return workers;
}

/// Calls visit(first, count) for consecutive blocks of the output.
template <class Visit>
void for_each_output_block(std::size_t length, const Visit& visit) {
  for (std::size_t first = 0; first < length; first += kBlockSamples) {
    visit(first, std::min(kBlockSamples, length - first));
  }
}

/// About what one thread takes for the whole batch.
template <class Real>
double expected_nanoseconds(const WarpProblem<Real>& problem, std::size_t length) noexcept {
  const double per_case = static_cast<double>(length) * (3.0 + 2.0 * static_cast<double>(problem.series.channels)) +
                          30.0 * static_cast<double>(problem.velocities.columns);
  return static_cast<double>(problem.series.cases) * per_case;
}

template <class Real>
void warp_case(const SampleClock<Real>& clock, const WarpProblem<Real>& problem, std::size_t item, Series<Real> warped,
               WarpWorker<Real>& worker) noexcept {
  worker.build(clock, problem, item, false);
  for_each_output_block(warped.time, [&](std::size_t first, std::size_t count) {
    const auto locations = worker.locate(clock.points(first, count), problem.series.time);
    for (std::size_t channel = 0; channel < warped.channels; ++channel) {
      interpolation::sample_row<Real>(problem.series.values(item, channel).data(), locations,
                                      warped.values(item, channel).data() + first);
    }
  });
}

/// Leaves the gradient by the series in worker.by_series, those by velocities and time in worker.field.
template <class Real>
void warp_case_vjp(const SampleClock<Real>& clock, const WarpProblem<Real>& problem, std::size_t item,
                   Series<const Real> cotangents, bool by_series, WarpWorker<Real>& worker) noexcept {
  const std::size_t time = problem.series.time;
  worker.build(clock, problem, item, true);
  worker.field.clear_sums();
  std::fill(worker.by_series.begin(), worker.by_series.end(), 0.0);
  for_each_output_block(cotangents.time, [&](std::size_t first, std::size_t count) {
    const std::span<const Real> points = clock.points(first, count);
    const auto locations = worker.locate(points, time);
    std::fill_n(worker.by_position.begin(), count, 0.0);
    for (std::size_t channel = 0; channel < cotangents.channels; ++channel) {
      interpolation::sample_row_vjp<Real>(
          problem.series.values(item, channel), locations, cotangents.values(item, channel).data() + first,
          by_series ? worker.by_series.data() + channel * time : nullptr, worker.by_position.data());
    }
    narrow<Real>(std::span(worker.by_position).first(count), worker.position_cotangents);
    worker.field.add_vjp(Quantity::kPosition, points, true, worker.position_cotangents.data(), nullptr);
  });
}

template <class Real>
void require_gradient_shapes(const WarpProblem<Real>& problem, const WarpGradients<Real>& gradients) {
  const Series<Real>& series = gradients.series;
  require(series.empty() || (series.cases == problem.series.cases && series.channels == problem.series.channels &&
                             series.time == problem.series.time),
          "gradient of series: expected the shape of the series");
  if (!gradients.velocities.empty()) {
    require_shape("gradient of velocities", gradients.velocities, problem.velocities.rows, problem.velocities.columns);
  }
  require(gradients.times.empty() || gradients.times.size() == problem.times.size(), "gradient of times: expected ",
          problem.times.size(), " values, got ", gradients.times.size());
}

}  // namespace

template <class Real>
void warp(const WarpProblem<Real>& problem, Series<Real> warped, std::size_t threads) {
  require_warp_problem(problem);
  require_warped_shape<Real>("warped", problem, warped);
  const SampleClock<Real> clock(problem, warped.time);
  const std::size_t count = useful_threads(threads, warped.cases, expected_nanoseconds(problem, warped.time));
  std::vector<WarpWorker<Real>> workers = workers_for(clock, problem, count, false);
  for_each_item(count, warped.cases, [&](std::size_t worker, std::size_t item) {
    warp_case(clock, problem, item, warped, workers[worker]);
  });
}

template <class Real>
std::vector<Real> warp(const std::vector<Real>& series, const std::vector<Real>& velocities, double time) {
  std::vector<Real> warped(series.size());
  warp<Real>({.series = {series.data(), 1, 1, series.size()}, .velocities = std::span(velocities), .times = {&time, 1}},
             {warped.data(), 1, 1, warped.size()}, 1);
  return warped;
}

template <class Real>
void warp_vjp(const WarpProblem<Real>& problem, Series<const Real> cotangents, WarpGradients<Real> gradients,
              std::size_t threads) {
  require_warp_problem(problem);
  require_warped_shape<Real>("cotangents", problem, cotangents);
  require_gradient_shapes(problem, gradients);
  const std::size_t cases = problem.series.cases;
  const std::size_t vertices = problem.velocities.columns;
  const bool sum_velocities = !gradients.velocities.empty() && problem.velocities.rows != cases;
  const SampleClock<Real> clock(problem, cotangents.time);
  const Groups groups = Groups::of(cases, sum_velocities);
  const std::size_t count = useful_threads(threads, groups.count, 3 * expected_nanoseconds(problem, cotangents.time));
  std::vector<WarpWorker<Real>> workers = workers_for(clock, problem, count, true);
  GroupSums velocity_sums(sum_velocities, groups, vertices);
  std::vector<double> time_gradients(cases);

  const auto do_case = [&](WarpWorker<Real>& worker, std::size_t group, std::size_t item) {
    warp_case_vjp(clock, problem, item, cotangents, !gradients.series.empty(), worker);
    time_gradients[item] = worker.field.time_gradient();
    if (!gradients.series.empty()) {
      const std::span<Real> all_channels(gradients.series.values(item, 0).data(), worker.by_series.size());
      narrow<Real>(worker.by_series, all_channels);
    }
    if (gradients.velocities.empty()) return;
    worker.field.velocity_gradient(worker.velocity_gradient.data());
    for (std::size_t j = 0; j < vertices; ++j) {
      const double gradient = clock.last() * static_cast<double>(worker.velocity_gradient[j]);
      if (sum_velocities) {
        velocity_sums.group(group)[j] += gradient;
      } else {
        gradients.velocities.row(item)[j] = static_cast<Real>(gradient);
      }
    }
  };
  for_each_item(count, groups.count, [&](std::size_t worker, std::size_t group) {
    for (std::size_t item = groups.begin(group); item < groups.end(group); ++item)
      do_case(workers[worker], group, item);
  });

  if (sum_velocities) narrow<Real>(velocity_sums.total(), gradients.velocities.row(0));
  sum_or_copy(time_gradients, problem.times.size() == 1, gradients.times);
}

#define DIFFEO_INSTANTIATE(Real)                                                                     \
  template void warp<Real>(const WarpProblem<Real>&, Series<Real>, std::size_t);                     \
  template std::vector<Real> warp<Real>(const std::vector<Real>&, const std::vector<Real>&, double); \
  template void warp_vjp<Real>(const WarpProblem<Real>&, Series<const Real>, WarpGradients<Real>, std::size_t);
DIFFEO_INSTANTIATE(float)
DIFFEO_INSTANTIATE(double)
#undef DIFFEO_INSTANTIATE

}  // namespace diffeo
