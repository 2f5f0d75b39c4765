// The bodies of the kernels, run by the processor.
#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "cuda/drive_flow.hpp"
#include "cuda/drive_warp.hpp"
#include "cuda/host_executor.hpp"
#include "cuda/machine.hpp"

namespace diffeo::under_test {

const bool kHasTheSameLogarithms = true;

namespace {

using cuda::Arena;
using cuda::Budget;
using cuda::HostExecutor;

/// Passes of a few fields, so that most batches take several.
constexpr Budget kFewAtATime = {.bytes = 4096, .fewest = 3, .most_bytes = std::size_t{64} << 20};

/// An even number of threads stands for threads and blocks in reverse, more than one for a few blocks that do all.
HostExecutor machine(std::size_t threads) {
  return HostExecutor(threads % 2 == 0 ? cuda::Order::kBackwards : cuda::Order::kForwards,
                      threads > 1 ? threads : std::size_t{1} << 30);
}

/// Memory of the size asked for, full of noise, and a margin that nobody may touch.
class Workspace {
 public:
  explicit Workspace(std::size_t bytes) : bytes_(bytes), memory_(bytes + kMargin, kNoise) {}
  [[nodiscard]] Arena arena() { return Arena(memory_.data()); }
  void check() const {
    if (std::any_of(memory_.begin() + static_cast<std::ptrdiff_t>(bytes_), memory_.end(),
                    [](std::byte value) { return value != kNoise; })) {
      throw std::logic_error("a kernel wrote beyond the end of its memory");
    }
  }

 private:
  static constexpr std::size_t kMargin = 4096;
  static constexpr std::byte kNoise{0xff};
  std::size_t bytes_;
  std::vector<std::byte> memory_;
};

template <class Work>
void with_workspace(std::size_t bytes, const Work& work) {
  Workspace workspace(bytes);
  work(workspace.arena());
  workspace.check();
}

}  // namespace

template <class Real>
void flow(const FlowProblem<Real>& problem, Rows<Real> positions, std::size_t threads) {
  with_workspace(cuda::flow_bytes(problem, kFewAtATime),
                 [&](Arena arena) { cuda::drive_flow(machine(threads), problem, positions, arena, kFewAtATime); });
}
template <class Real>
void flow_vjp(const FlowProblem<Real>& problem, Rows<const Real> cotangents, FlowGradients<Real> gradients,
              std::size_t threads) {
  with_workspace(cuda::flow_vjp_bytes(problem, gradients, kFewAtATime), [&](Arena arena) {
    cuda::drive_flow_vjp(machine(threads), problem, cotangents, gradients, arena, kFewAtATime);
  });
}
template <class Real>
void flow_log_slope(const FlowProblem<Real>& problem, Rows<Real> log_slopes, std::size_t threads) {
  with_workspace(cuda::flow_bytes(problem, kFewAtATime), [&](Arena arena) {
    cuda::drive_flow<cuda::math::LogSlopes>(machine(threads), problem, log_slopes, arena, kFewAtATime);
  });
}
template <class Real>
void flow_log_slope_vjp(const FlowProblem<Real>& problem, Rows<const Real> cotangents, FlowGradients<Real> gradients,
                        std::size_t threads) {
  with_workspace(cuda::flow_vjp_bytes(problem, gradients, kFewAtATime), [&](Arena arena) {
    cuda::drive_flow_vjp<cuda::math::LogSlopes>(machine(threads), problem, cotangents, gradients, arena, kFewAtATime);
  });
}
template <class Real>
void warp(const WarpProblem<Real>& problem, Series<Real> warped, std::size_t threads) {
  with_workspace(cuda::warp_bytes(problem, kFewAtATime),
                 [&](Arena arena) { cuda::drive_warp(machine(threads), problem, warped, arena, kFewAtATime); });
}
template <class Real>
void warp_vjp(const WarpProblem<Real>& problem, Series<const Real> cotangents, WarpGradients<Real> gradients,
              std::size_t threads) {
  with_workspace(cuda::warp_vjp_bytes(problem, cotangents.time, gradients, kFewAtATime), [&](Arena arena) {
    cuda::drive_warp_vjp(machine(threads), problem, cotangents, gradients, arena, kFewAtATime);
  });
}
template <class Real>
void sample(const SampleProblem<Real>& problem, Series<Real> samples, std::size_t threads) {
  cuda::drive_sample(machine(threads), problem, samples);
}
template <class Real>
void sample_vjp(const SampleProblem<Real>& problem, Series<const Real> cotangents, SampleGradients<Real> gradients,
                std::size_t threads) {
  with_workspace(cuda::sample_vjp_bytes(problem, gradients, kFewAtATime), [&](Arena arena) {
    cuda::drive_sample_vjp(machine(threads), problem, cotangents, gradients, arena, kFewAtATime);
  });
}

DIFFEO_INSTANTIATE_MACHINE(float)
DIFFEO_INSTANTIATE_MACHINE(double)

}  // namespace diffeo::under_test
