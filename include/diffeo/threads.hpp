// How many threads a call may use, and how its work is divided.
//
// There is no pool and no global state. A call that may use several threads starts them, joins them and leaves
// nothing behind, so it is safe after fork() and beside any OpenMP runtime (docs/decisions.md, "Threads"). The division
// into work items does not depend on the number of threads, so results are bit-identical for any number.
#pragma once

#include <cstddef>
#include <functional>

namespace diffeo {

/// The number of cores this process may use (its affinity mask, if the system has one); at least 1.
[[nodiscard]] std::size_t available_threads() noexcept;

/// Number of threads worth starting: `requested` (0 means available_threads()), but at most `items`, and few enough
/// that each gets at least about 50 microseconds of the expected `nanoseconds` of the whole work.
[[nodiscard]] std::size_t useful_threads(std::size_t requested, std::size_t items, double nanoseconds) noexcept;

/// Calls work(worker, item) once for every item in [0, items), on `threads` threads. `worker` in [0, threads) selects
/// the thread's own workspace. Items are taken in order from one counter. `work` must not throw.
void for_each_item(std::size_t threads, std::size_t items,
                   const std::function<void(std::size_t worker, std::size_t item)>& work);

}  // namespace diffeo
