#include "diffeo/threads.hpp"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

namespace diffeo {
namespace {

constexpr double kWorthAThread = 50e3;  // nanoseconds; starting and joining a thread takes about 20e3

}  // namespace

std::size_t available_threads() noexcept {
#if defined(__linux__)
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof(cores), &cores) == 0) return static_cast<std::size_t>(std::max(CPU_COUNT(&cores), 1));
#endif
  return std::max(std::thread::hardware_concurrency(), 1u);
}

std::size_t useful_threads(std::size_t requested, std::size_t items, double nanoseconds) noexcept {
  const std::size_t allowed = requested == 0 ? available_threads() : requested;
  const auto worthwhile = static_cast<std::size_t>(std::clamp(nanoseconds / kWorthAThread, 1.0, 1e6));
  return std::max<std::size_t>(1, std::min({allowed, items, worthwhile}));
}

void for_each_item(std::size_t threads, std::size_t items,
                   const std::function<void(std::size_t worker, std::size_t item)>& work) {
  std::atomic<std::size_t> next{0};
  const auto run = [&](std::size_t worker) {
    for (std::size_t item = next.fetch_add(1); item < items; item = next.fetch_add(1)) work(worker, item);
  };
  std::vector<std::jthread> helpers;
  helpers.reserve(threads);
  for (std::size_t worker = 1; worker < std::min(threads, items); ++worker) {
    try {
      helpers.emplace_back(run, worker);
    } catch (const std::system_error&) {
      break;  // the system gives no more threads: those there are do all the work
    }
  }
  run(0);
}

}  // namespace diffeo
