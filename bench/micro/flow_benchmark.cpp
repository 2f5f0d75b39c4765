// The flow, its log-slope and their gradients over cells x points x precision, one thread, beside the least that any of it
// could cost: reading and writing the points.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cli/timing_case.hpp"

namespace {

using diffeo::cli::TimingCase;

constexpr std::size_t kWarps = 40;
constexpr std::uint64_t kSeed = 1;

template <class Real>
TimingCase<Real> case_of(const benchmark::State& state) {
  const auto cells = static_cast<std::size_t>(state.range(0));
  const auto points = static_cast<std::size_t>(state.range(1));
  return TimingCase<Real>({cells, points, kWarps}, kSeed);
}

void count_points(benchmark::State& state, std::int64_t points) {
  state.SetItemsProcessed(state.iterations() * points * static_cast<std::int64_t>(kWarps));
}

/// Times one member of a case.
template <class Real, void (TimingCase<Real>::*kWork)(std::size_t)>
void time_case(benchmark::State& state) {
  TimingCase<Real> timing_case = case_of<Real>(state);
  for (auto _ : state) {
    (timing_case.*kWork)(1);
    benchmark::ClobberMemory();
  }
  count_points(state, state.range(1));
}

template <class Real>
void flow(benchmark::State& state) {
  time_case<Real, &TimingCase<Real>::flow>(state);
}
template <class Real>
void flow_vjp(benchmark::State& state) {
  time_case<Real, &TimingCase<Real>::flow_vjp>(state);
}
template <class Real>
void log_slope(benchmark::State& state) {
  time_case<Real, &TimingCase<Real>::log_slope>(state);
}
template <class Real>
void log_slope_vjp(benchmark::State& state) {
  time_case<Real, &TimingCase<Real>::log_slope_vjp>(state);
}

template <class Real>
void copy(benchmark::State& state) {
  const std::size_t count = static_cast<std::size_t>(state.range(0)) * kWarps;
  const std::vector<Real> source(count, Real(0.5));
  std::vector<Real> target(count);
  for (auto _ : state) {
    std::copy(source.begin(), source.end(), target.begin());
    benchmark::ClobberMemory();
  }
  count_points(state, state.range(0));
}

void sizes(benchmark::internal::Benchmark* each) {
  each->ArgNames({"cells", "points"})->Unit(benchmark::kMicrosecond);
  for (const std::int64_t points : {1'000, 10'000}) {
    for (const std::int64_t cells : {4, 30, 256, 1024}) each->Args({cells, points});
  }
}

void point_counts(benchmark::internal::Benchmark* each) {
  each->ArgName("points")->Unit(benchmark::kMicrosecond)->Arg(1'000)->Arg(10'000);
}

BENCHMARK_TEMPLATE(flow, float)->Apply(sizes);
BENCHMARK_TEMPLATE(flow, double)->Apply(sizes);
BENCHMARK_TEMPLATE(flow_vjp, float)->Apply(sizes);
BENCHMARK_TEMPLATE(flow_vjp, double)->Apply(sizes);
BENCHMARK_TEMPLATE(log_slope, float)->Apply(sizes);
BENCHMARK_TEMPLATE(log_slope, double)->Apply(sizes);
BENCHMARK_TEMPLATE(log_slope_vjp, float)->Apply(sizes);
BENCHMARK_TEMPLATE(log_slope_vjp, double)->Apply(sizes);
BENCHMARK_TEMPLATE(copy, float)->Apply(point_counts);
BENCHMARK_TEMPLATE(copy, double)->Apply(point_counts);

}  // namespace
