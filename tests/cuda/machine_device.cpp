// The kernels, run by a GPU: arguments are copied there and results back. `threads` does not matter.
#include <cuda_runtime_api.h>

#include <cstddef>
#include <stdexcept>
#include <string>

#include "cuda/machine.hpp"
#include "cuda/operations.hpp"

namespace diffeo::under_test {

const bool kHasTheSameLogarithms = false;

namespace {

void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(error));
}

/// Memory of the GPU.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) : count_(count) {
    // Of nothing, too: a null pointer would mean that a result is not wanted.
    check(cudaMalloc(reinterpret_cast<void**>(&data_), (count + 1) * sizeof(T)));
  }
  DeviceArray(const T* from, std::size_t count) : DeviceArray(count) {
    if (count > 0) check(cudaMemcpy(data_, from, count * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  [[nodiscard]] T* get() const { return data_; }
  void copy_to(T* to) const {
    if (to != nullptr && count_ > 0) check(cudaMemcpy(to, data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
  }

 private:
  std::size_t count_;
  T* data_ = nullptr;
};

template <class Real>
struct DeviceRows {
  DeviceArray<Real> array;
  std::size_t rows, columns;

  explicit DeviceRows(Rows<const Real> from) : array(from.data, from.size()), rows(from.rows), columns(from.columns) {}
  [[nodiscard]] Rows<Real> view() const { return {array.get(), rows, columns}; }
};

template <class Real>
struct DeviceSeries {
  DeviceArray<Real> array;
  std::size_t cases, channels, time;

  explicit DeviceSeries(Series<const Real> from)
      : array(from.data, from.size()), cases(from.cases), channels(from.channels), time(from.time) {}
  [[nodiscard]] Series<Real> view() const { return {array.get(), cases, channels, time}; }
};

/// Where a result is made that may not be wanted.
template <class Real>
class DeviceResult {
 public:
  explicit DeviceResult(Rows<Real> to) : to_(to), array_(to.empty() ? 0 : to.size()) {}
  [[nodiscard]] Rows<Real> view() const {
    return to_.empty() ? Rows<Real>() : Rows<Real>(array_.get(), to_.rows, to_.columns);
  }
  void finish() const { array_.copy_to(to_.data); }

 private:
  Rows<Real> to_;
  DeviceArray<Real> array_;
};

template <class Real>
class DeviceSeriesResult {
 public:
  explicit DeviceSeriesResult(Series<Real> to) : to_(to), array_(to.empty() ? 0 : to.size()) {}
  [[nodiscard]] Series<Real> view() const {
    return to_.empty() ? Series<Real>() : Series<Real>(array_.get(), to_.cases, to_.channels, to_.time);
  }
  void finish() const { array_.copy_to(to_.data); }

 private:
  Series<Real> to_;
  DeviceArray<Real> array_;
};

/// What stands on the GPU of a flow problem.
template <class Real>
struct DeviceFlow {
  DeviceRows<Real> velocities, points;
  DeviceArray<double> times;
  FlowProblem<Real> problem;

  explicit DeviceFlow(const FlowProblem<Real>& from)
      : velocities(from.velocities),
        points(from.points),
        times(from.times.data(), from.times.size()),
        problem{velocities.view(), points.view(), {times.get(), from.times.size()}, from.domain} {}
};

template <class Real>
struct DeviceWarp {
  DeviceSeries<Real> series;
  DeviceRows<Real> velocities;
  DeviceArray<double> times;
  WarpProblem<Real> problem;

  explicit DeviceWarp(const WarpProblem<Real>& from)
      : series(from.series),
        velocities(from.velocities),
        times(from.times.data(), from.times.size()),
        problem{series.view(), velocities.view(), {times.get(), from.times.size()}} {}
};

}  // namespace

namespace {

/// What `evaluate` of the operations computes of a flow.
template <class Real, class Evaluate>
void evaluate_there(const FlowProblem<Real>& problem, Rows<Real> values, const Evaluate& evaluate) {
  const DeviceFlow<Real> there(problem);
  const DeviceResult<Real> result(values);
  const DeviceArray<std::byte> workspace(cuda::flow_workspace(there.problem));
  evaluate(there.problem, result.view(), workspace.get());
  result.finish();
}

template <class Real, class Vjp>
void differentiate_there(const FlowProblem<Real>& problem, Rows<const Real> cotangents, FlowGradients<Real> gradients,
                         const Vjp& vjp) {
  const DeviceFlow<Real> there(problem);
  const DeviceRows<Real> weights(cotangents);
  const DeviceResult<Real> by_velocity(gradients.velocities), by_point(gradients.points);
  const DeviceArray<double> by_time(gradients.times.size());
  FlowGradients<Real> results{.velocities = by_velocity.view(), .points = by_point.view()};
  if (!gradients.times.empty()) results.times = {by_time.get(), gradients.times.size()};
  const DeviceArray<std::byte> workspace(cuda::flow_vjp_workspace(there.problem, results));
  vjp(there.problem, Rows<const Real>(weights.view()), results, workspace.get());
  by_velocity.finish();
  by_point.finish();
  by_time.copy_to(gradients.times.data());
}

}  // namespace

template <class Real>
void flow(const FlowProblem<Real>& problem, Rows<Real> positions, std::size_t) {
  evaluate_there(problem, positions, [](const auto&... arguments) { cuda::flow<Real>(arguments..., nullptr); });
}
template <class Real>
void flow_vjp(const FlowProblem<Real>& problem, Rows<const Real> cotangents, FlowGradients<Real> gradients,
              std::size_t) {
  differentiate_there(problem, cotangents, gradients,
                      [](const auto&... arguments) { cuda::flow_vjp<Real>(arguments..., nullptr); });
}

template <class Real>
void flow_log_slope(const FlowProblem<Real>& problem, Rows<Real> log_slopes, std::size_t) {
  evaluate_there(problem, log_slopes,
                 [](const auto&... arguments) { cuda::flow_log_slope<Real>(arguments..., nullptr); });
}
template <class Real>
void flow_log_slope_vjp(const FlowProblem<Real>& problem, Rows<const Real> cotangents, FlowGradients<Real> gradients,
                        std::size_t) {
  differentiate_there(problem, cotangents, gradients,
                      [](const auto&... arguments) { cuda::flow_log_slope_vjp<Real>(arguments..., nullptr); });
}

template <class Real>
void warp(const WarpProblem<Real>& problem, Series<Real> warped, std::size_t) {
  const DeviceWarp<Real> there(problem);
  const DeviceSeriesResult<Real> result(warped);
  const DeviceArray<std::byte> workspace(cuda::warp_workspace(there.problem));
  cuda::warp(there.problem, result.view(), workspace.get(), nullptr);
  result.finish();
}

template <class Real>
void warp_vjp(const WarpProblem<Real>& problem, Series<const Real> cotangents, WarpGradients<Real> gradients,
              std::size_t) {
  const DeviceWarp<Real> there(problem);
  const DeviceSeries<Real> weights(cotangents);
  const DeviceSeriesResult<Real> by_series(gradients.series);
  const DeviceResult<Real> by_velocity(gradients.velocities);
  const DeviceArray<double> by_time(gradients.times.size());
  WarpGradients<Real> results{.series = by_series.view(), .velocities = by_velocity.view()};
  if (!gradients.times.empty()) results.times = {by_time.get(), gradients.times.size()};
  const DeviceArray<std::byte> workspace(cuda::warp_vjp_workspace(there.problem, cotangents.time, results));
  cuda::warp_vjp<Real>(there.problem, weights.view(), results, workspace.get(), nullptr);
  by_series.finish();
  by_velocity.finish();
  by_time.copy_to(gradients.times.data());
}

template <class Real>
void sample(const SampleProblem<Real>& problem, Series<Real> samples, std::size_t) {
  const DeviceSeries<Real> series(problem.series);
  const DeviceRows<Real> positions(problem.positions);
  const DeviceSeriesResult<Real> result(samples);
  cuda::sample<Real>({.series = series.view(), .positions = positions.view()}, result.view(), nullptr);
  result.finish();
}

template <class Real>
void sample_vjp(const SampleProblem<Real>& problem, Series<const Real> cotangents, SampleGradients<Real> gradients,
                std::size_t) {
  const DeviceSeries<Real> series(problem.series), weights(cotangents);
  const DeviceRows<Real> positions(problem.positions);
  const DeviceSeriesResult<Real> by_series(gradients.series);
  const DeviceResult<Real> by_position(gradients.positions);
  const SampleProblem<Real> there{.series = series.view(), .positions = positions.view()};
  const SampleGradients<Real> results{.series = by_series.view(), .positions = by_position.view()};
  const DeviceArray<std::byte> workspace(cuda::sample_vjp_workspace(there, results));
  cuda::sample_vjp<Real>(there, weights.view(), results, workspace.get(), nullptr);
  by_series.finish();
  by_position.finish();
}

DIFFEO_INSTANTIATE_MACHINE(float)
DIFFEO_INSTANTIATE_MACHINE(double)

}  // namespace diffeo::under_test
