#include "cli/timing_sweep.hpp"

#include <cstdint>
#include <utility>

#include "studies/least_time.hpp"

namespace diffeo::cli {
namespace {

constexpr CaseSize kPaperSize = {30, 1'000, 40};
constexpr std::size_t kPoints[] = {10, 30, 100, 300, 1'000, 3'000, 10'000};
constexpr std::size_t kCells[] = {3, 10, 30, 100, 300, 1'000};
constexpr std::size_t kWarps[] = {1, 4, 12, 40, 120, 400};
constexpr std::uint64_t kSweepSeed = 1;  // fixed: a timing is compared with other timings of the same work

std::vector<SweepTime> sweep_cases() {
  std::vector<SweepTime> cases;
  for (const std::size_t points : kPoints) cases.push_back({"points", {kPaperSize.cells, points, kPaperSize.warps}});
  for (const std::size_t cells : kCells) cases.push_back({"cells", {cells, kPaperSize.points, kPaperSize.warps}});
  for (const std::size_t warps : kWarps) cases.push_back({"warps", {kPaperSize.cells, kPaperSize.points, warps}});
  return cases;
}

}  // namespace

std::vector<SweepTime> timing_sweep(std::size_t threads, std::size_t repetitions,
                                    const std::function<void(double done)>& progress) {
  std::vector<SweepTime> times = sweep_cases();
  for (std::size_t i = 0; i < times.size(); ++i) {
    TimingCase<float> timing_case(times[i].size, kSweepSeed);
    times[i].forward = least_milliseconds(repetitions, [&] { timing_case.flow(threads); });
    times[i].gradient = least_milliseconds(repetitions, [&] { timing_case.flow_vjp(threads); });
    if (progress) progress(static_cast<double>(i + 1) / static_cast<double>(times.size()));
  }
  return times;
}

}  // namespace diffeo::cli
