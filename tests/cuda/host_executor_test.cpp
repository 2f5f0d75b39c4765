// What the processor can show of kernels beyond their results: indices that no memory here could hold, and how a batch
// is cut into passes.
#include "cuda/host_executor.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "cuda/drive_flow.hpp"
#include "cuda/drive_warp.hpp"

namespace diffeo::cuda {
namespace host_executor_test {

/// A range of addresses, of which only what is touched takes memory.
class VastMemory {
 public:
  explicit VastMemory(std::size_t bytes)
      : bytes_(bytes),
        memory_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  ~VastMemory() {
    if (is_there()) munmap(memory_, bytes_);
  }
  VastMemory(const VastMemory&) = delete;
  VastMemory& operator=(const VastMemory&) = delete;

  [[nodiscard]] bool is_there() const { return memory_ != MAP_FAILED; }
  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(memory_);
  }

 private:
  std::size_t bytes_;
  void* memory_;
};

/// One block of a grid that would take days.
template <class Kernel>
void run_block(const Kernel& kernel, std::size_t index, std::size_t count) {
  typename Kernel::Shared shared = {};
  const HostBlock<typename Kernel::Shared> block(index, count, Kernel::kThreads, Order::kForwards, shared);
  kernel(block);
}

/// Two fields of four cells in units of samples, one at rest and one moving everything by one sample.
struct TwoFields {
  std::vector<float> velocities = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1};
  double time = 1;
  Tessellation domain;
  std::vector<std::byte> memory;
  FieldTables<float> tables;

  explicit TwoFields(double last) : domain(4, 0.0, last) {
    Arena counted;
    (void)FieldTables<float>(counted, 4, 2);
    memory.resize(counted.used() + Arena::kAlignment);
    Arena arena(memory.data());
    tables = FieldTables<float>(arena, 4, 2);
    const FieldBatch<float> batch(domain, {velocities.data(), 5}, {&time, 0}, 1.0, 2);
    const HostExecutor machine;
    lay_out_grid(machine, batch, tables);
    machine.run(BuildTables<float, false>{tables, batch.velocities, batch.times, 1.0, 0, 2}, 2);
  }
};

TEST(HostExecutor, ReachesPointsBeyondFourThousandMillions) {
  constexpr std::size_t kPoints = 3'000'000'000;
  const VastMemory positions(2 * kPoints * sizeof(float));
  if (!positions.is_there()) GTEST_SKIP() << "this machine gives away no addresses beyond its memory";
  const TwoFields fields(1024.0);
  const SamplePoints<float> samples(1024.0, kPoints);
  const FlowPoints<float> kernel{fields.tables,        {&fields.time, 0}, PointSource<float>(samples, kPoints), 0, 2,
                                 positions.as<float>()};
  const std::size_t blocks = kernel.blocks();
  run_block(kernel, blocks - 1, blocks);
  run_block(kernel, blocks / 2 - 1, blocks);
  EXPECT_EQ(positions.as<float>()[kPoints - 1], 1024.0f);      // the field at rest
  EXPECT_EQ(positions.as<float>()[2 * kPoints - 1], 1025.0f);  // the other
}

TEST(HostExecutor, ReachesSeriesBeyondFourThousandMillions) {
  constexpr std::size_t kTime = 3'000'000'000;
  const VastMemory series(2 * kTime * sizeof(double)), gradient(2 * kTime * sizeof(double));
  if (!series.is_there() || !gradient.is_there()) {
    GTEST_SKIP() << "this machine gives away no addresses beyond its memory";
  }
  // Two cases of one channel, read at three positions each: the last node, and beside it.
  const double last = static_cast<double>(kTime - 1);
  const std::vector<double> positions = {0.0, 1.0, 1.0, last - 0.5, last - 0.25, last},
                            cotangents = {1, 2, 3, 4, 8, 16};
  const SamplePositions<double> places{{positions.data(), 3}, 1.0, 3};
  series.as<double>()[2 * kTime - 1] = 8.0;
  std::vector<double> samples(6);
  const SeriesBlock<const double> block{series.as<const double>(), 1, kTime};
  HostExecutor().run(ReadSeries<double>{block, places, 2, {samples.data(), 1, 3}}, 2);
  EXPECT_EQ(samples, (std::vector<double>{0, 0, 0, 4, 6, 8}));

  std::vector<std::byte> memory(4096);
  Arena arena(memory.data());
  const NodeRanges ranges(arena, 3, 2);
  HostExecutor().run(FindNodeRanges<double>{places, kTime, 2, ranges}, 2);
  const PullBackSeries<double> back{block, places, {cotangents.data(), 1, 3},
                                    2,     ranges, {gradient.as<double>(), 1, kTime}};
  run_block(back, back.blocks() - 1, back.blocks());
  EXPECT_EQ(gradient.as<double>()[2 * kTime - 1], 4 * 0.5 + 8 * 0.75 + 16);
  EXPECT_EQ(gradient.as<double>()[2 * kTime - 2], 4 * 0.5 + 8 * 0.25);
  EXPECT_EQ(gradient.as<double>()[2 * kTime - 3], 0.0);
}

TEST(DeviceMath, KnowsTheExponentialsOfItsLimits) {
  EXPECT_EQ(math::kLargestGrowth<float>, std::exp(math::kGrowthLimit<float>));
  EXPECT_EQ(math::kLargestGrowth<double>, std::exp(math::kGrowthLimit<double>));
}

TEST(Budget, CutsBatchesIntoPassesThatFit) {
  const Budget budget;
  EXPECT_EQ(budget.items(8192, 1'000'000), 2048u);          // what the cache holds
  EXPECT_EQ(budget.items(1 << 20, 1'000'000), 128u);        // large fields: enough to be busy
  EXPECT_EQ(budget.items(std::size_t{1} << 30, 1000), 1u);  // very large ones: what there must be
  EXPECT_EQ(budget.items(8192, 5), 5u);
  EXPECT_EQ(budget.items(8192, 0), 1u);
}

TEST(Budget, NeedsMemoryForOnePassHoweverLargeTheBatch) {
  const double time = 1;
  const auto bytes = [&](std::size_t batch, std::size_t cells, std::size_t points) {
    const FlowProblem<float> problem{
        .velocities = {nullptr, batch, cells + 1}, .points = {nullptr, batch, points}, .times = {&time, 1}};
    const FlowGradients<float> gradients{.velocities = {nullptr, batch, cells + 1}};
    return std::max(flow_bytes(problem), flow_vjp_bytes(problem, gradients));
  };
  constexpr std::size_t kMegabyte = 1 << 20;
  EXPECT_LT(bytes(1, 1, 1), kMegabyte);
  EXPECT_LT(bytes(1'000'000, 32, 1000), 32 * kMegabyte);
  EXPECT_LT(bytes(1'000'000, 4096, 1000), 300 * kMegabyte);
  EXPECT_LT(bytes(1, 4096, 10'000'000), 300 * kMegabyte);
}

}  // namespace host_executor_test
}  // namespace diffeo::cuda
