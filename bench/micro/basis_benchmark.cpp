// Set-up: a warp space (which is what a basis costs) and a prior on it, per basis and number of cells.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#include "diffeo/prior.hpp"
#include "diffeo/warp_space.hpp"

namespace {

using diffeo::Basis;

constexpr std::int64_t kCellCounts[] = {8, 32, 128, 512};

void make_space(benchmark::State& state, Basis basis) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(diffeo::WarpSpace(static_cast<std::size_t>(state.range(0)), true, basis));
  }
}

/// The dense matrix B, as people look at it and as other libraries need it.
void make_matrix(benchmark::State& state, Basis basis) {
  for (auto _ : state) {
    const diffeo::WarpSpace space(static_cast<std::size_t>(state.range(0)), true, basis);
    benchmark::DoNotOptimize(space.affine_basis());
  }
}

void make_prior(benchmark::State& state, Basis basis) {
  const diffeo::WarpSpace space(static_cast<std::size_t>(state.range(0)), true, basis);
  for (auto _ : state) benchmark::DoNotOptimize(diffeo::Prior(space));
}

using Setup = void (*)(benchmark::State&, Basis);

void add(const std::string& name, Setup setup, Basis basis) {
  auto* each = benchmark::RegisterBenchmark((name + "<" + std::string(basis_name(basis)) + ">").c_str(), setup, basis);
  each->ArgName("cells")->Unit(benchmark::kMicrosecond);
  for (const std::int64_t cells : kCellCounts) each->Arg(cells);
}

const bool kRegistered = [] {
  for (const Basis basis : {Basis::svd, Basis::qr, Basis::rref, Basis::sparse}) {
    add("space", make_space, basis);
    add("affine_basis", make_matrix, basis);
    add("prior", make_prior, basis);
  }
  return true;
}();

}  // namespace
