// Series warped in one pass, and the gradient of the velocities, over channels and lengths; one thread.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <span>
#include <vector>

#include "cli/timing_case.hpp"
#include "diffeo/random.hpp"
#include "diffeo/warp.hpp"

namespace {

using diffeo::Rows;
using diffeo::Series;

constexpr std::size_t kCells = 30;
constexpr std::size_t kCases = 40;
constexpr std::uint64_t kSeed = 1;

template <class Real>
class WarpCase {
 public:
  explicit WarpCase(const benchmark::State& state)
      : channels_(static_cast<std::size_t>(state.range(0))),
        time_(static_cast<std::size_t>(state.range(1))),
        fields_({kCells, 1, kCases}, kSeed),
        series_(kCases * channels_ * time_),
        warped_(series_.size()),
        gradients_(fields_.velocities().size()) {
    diffeo::Random random(kSeed);
    for (Real& value : series_) value = static_cast<Real>(random.normal());
  }

  void warp() { diffeo::warp(problem(), Series<Real>(warped_.data(), kCases, channels_, time_), 1); }

  void warp_vjp() {
    diffeo::WarpGradients<Real> gradients;
    gradients.velocities = Rows<Real>(gradients_.data(), kCases, kCells + 1);
    // The series stand in for cotangents: any numbers will do.
    diffeo::warp_vjp(problem(), Series<const Real>(series_.data(), kCases, channels_, time_), gradients, 1);
  }

 private:
  [[nodiscard]] diffeo::WarpProblem<Real> problem() const {
    return {Series<const Real>(series_.data(), kCases, channels_, time_), fields_.velocities(),
            std::span(&duration_, 1)};
  }

  std::size_t channels_;
  std::size_t time_;
  double duration_ = 1.0;
  diffeo::cli::TimingCase<Real> fields_;
  std::vector<Real> series_;
  std::vector<Real> warped_;
  std::vector<Real> gradients_;
};

void count_points(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * state.range(1) * static_cast<std::int64_t>(kCases));
}

template <class Real>
void warp(benchmark::State& state) {
  WarpCase<Real> warp_case(state);
  for (auto _ : state) {
    warp_case.warp();
    benchmark::ClobberMemory();
  }
  count_points(state);
}

template <class Real>
void warp_vjp(benchmark::State& state) {
  WarpCase<Real> warp_case(state);
  for (auto _ : state) {
    warp_case.warp_vjp();
    benchmark::ClobberMemory();
  }
  count_points(state);
}

void sizes(benchmark::internal::Benchmark* each) {
  each->ArgNames({"channels", "points"})->Unit(benchmark::kMicrosecond);
  each->Args({1, 1'000})->Args({8, 1'000})->Args({1, 10'000});
}

BENCHMARK_TEMPLATE(warp, float)->Apply(sizes);
BENCHMARK_TEMPLATE(warp, double)->Apply(sizes);
BENCHMARK_TEMPLATE(warp_vjp, float)->Apply(sizes);
BENCHMARK_TEMPLATE(warp_vjp, double)->Apply(sizes);

}  // namespace
