// What the processor can show of kernels beyond their results: indices that no memory here could hold, and how a batch
// is cut into passes.
#include "cuda/host_executor.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <span>
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

// The largest sizes that are promised (docs/guide/gpu.md); all at once they are beyond any memory.
constexpr std::size_t kMostFields = 1'000'000;
constexpr std::size_t kMostCells = 4096;
constexpr std::size_t kMostPoints = 10'000'000;

/// Bytes that `make(arena, fields)` takes per field, in double: no index that is too short can spoil it.
template <class Make>
double bytes_per_field(const Make& make, std::size_t fields) {
  Arena none, all;
  make(none, std::size_t{0});
  make(all, fields);
  return static_cast<double>(all.used() - none.used()) / static_cast<double>(fields);
}

TEST(Arena, CountsBytesOfTheLargestBatches) {
  const auto tables = [](Arena& arena, std::size_t fields) { (void)FieldTables<double>(arena, kMostCells, fields); };
  const auto products = [](Arena& arena, std::size_t fields) {
    (void)ProductSpace<double>(arena, kMostCells, kMostPoints, {.velocities = true, .points = true, .time = true},
                               fields, fields);
  };
  constexpr std::size_t kFew = 8;
  constexpr double kGaps = 16 * Arena::kAlignment;  // between arrays: the smaller the batch, the more of its fields
  EXPECT_NEAR(bytes_per_field(tables, kMostFields), bytes_per_field(tables, kFew), kGaps / kFew);
  EXPECT_NEAR(bytes_per_field(products, kMostFields), bytes_per_field(products, kFew), kGaps / kFew);
  EXPECT_GT(bytes_per_field(products, kMostFields), 8.0 * kMostPoints);
}

TEST(Kernels, HaveBlocksForAllPointsOfTheLargestBatches) {
  constexpr std::size_t kTiles = kMostPoints / kTilePoints + 1;  // no whole number of them
  static_assert(kTiles * kTilePoints - kMostPoints < kTilePoints);
  constexpr std::size_t kBlocks = kMostFields * kTiles;
  static_assert(kBlocks > std::size_t{1} << 32);
  const SamplePoints<float> samples(1.0, kMostPoints);
  const PointSource<float> points(samples, kMostPoints);
  const SamplePositions<float> positions{{}, 1.0f, kMostPoints};
  const SeriesBlock<const float> series{nullptr, 1, kMostPoints};
  const SeriesBlock<float> out{nullptr, 1, kMostPoints};
  EXPECT_EQ((FlowPoints<float>{{}, {}, points, 0, kMostFields, nullptr}.blocks()), kBlocks);
  EXPECT_EQ((ReadSeries<float>{series, positions, kMostFields, out}.blocks()), kBlocks);
  EXPECT_EQ((WarpSeries<float>{{}, {}, samples, series, 0, kMostFields, out}.blocks()), kBlocks);
  EXPECT_EQ((PullBackPositions<float>{series, positions, series, kMostFields, 1.0, {}}.blocks()), kBlocks);
}

/// Bytes that each operation asks for, where the batch shares an argument and where it does not.
std::size_t most_bytes(std::size_t batch, std::size_t cells, std::size_t points) {
  float number = 0;
  float* const somewhere = &number;  // what counts is that results are wanted, not where
  std::vector<double> times(batch, 1.0);
  std::size_t most = 0;
  for (const bool shared : {false, true}) {
    const std::size_t rows = shared ? 1 : batch;
    const std::span<double> durations = std::span(times).first(rows);
    const Series<const float> series{somewhere, batch, 1, points};
    const FlowProblem<float> flow{
        .velocities = {somewhere, batch, cells + 1}, .points = {somewhere, rows, points}, .times = durations};
    const WarpProblem<float> warp{.series = series, .velocities = {somewhere, rows, cells + 1}, .times = durations};
    const SampleProblem<float> sample{.series = series, .positions = {somewhere, rows, points}};
    const FlowGradients<float> by_flow{
        .velocities = {somewhere, batch, cells + 1}, .points = {somewhere, rows, points}, .times = durations};
    const WarpGradients<float> by_warp{
        .series = {somewhere, batch, 1, points}, .velocities = {somewhere, rows, cells + 1}, .times = durations};
    const SampleGradients<float> by_sample{.series = {somewhere, batch, 1, points},
                                           .positions = {somewhere, rows, points}};
    most = std::max({most, flow_bytes(flow), warp_bytes(warp), flow_vjp_bytes(flow, by_flow),
                     warp_vjp_bytes(warp, points, by_warp), sample_vjp_bytes(sample, by_sample)});
  }
  return most;
}

TEST(Budget, NeedsMemoryForOnePassHoweverLargeTheBatch) {
  constexpr std::size_t kMegabyte = 1 << 20;
  EXPECT_LT(most_bytes(1, 1, 1), kMegabyte);
  EXPECT_LT(most_bytes(kMostFields, 32, 1000), 32 * kMegabyte);
  EXPECT_LT(most_bytes(kMostFields, kMostCells, 1000), 300 * kMegabyte);
  EXPECT_LT(most_bytes(1, kMostCells, kMostPoints), 300 * kMegabyte);
  EXPECT_LT(most_bytes(kMostFields, kMostCells, kMostPoints), 400 * kMegabyte);
  EXPECT_GT(most_bytes(kMostFields, kMostCells, kMostPoints), most_bytes(1, kMostCells, kMostPoints));
}

}  // namespace host_executor_test
}  // namespace diffeo::cuda
