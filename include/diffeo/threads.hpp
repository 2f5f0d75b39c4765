// How many threads a call may use, and how its work is shared out.
//
// There is no pool and no global state: a call that is allowed several threads starts them, joins them and leaves
// nothing behind, so it is safe after fork() and beside any OpenMP runtime (docs/decisions.md, "Threads"). Work is
// split into items that do not depend on the number of threads, so results are the same bits for any number.
#pragma once

#include <cstddef>
#include <functional>

namespace diffeo {

/// The number of cores this process may run on (its affinity mask, where the system has one); at least 1.
[[nodiscard]] std::size_t available_threads() noexcept;

/// Number of threads worth starting: `requested` (0 means available_threads()), but not more than `items`, nor so many
/// that one gets less than about 50 microseconds of the `nanoseconds` the whole work is expected to take.
[[nodiscard]] std::size_t useful_threads(std::size_t requested, std::size_t items, double nanoseconds) noexcept;

/// Calls work(worker, item) once for every item in [0, items), on `threads` threads; `worker` in [0, threads) names the
/// calling thread's own workspace. Items are taken in order from one counter. `work` must not throw.
void for_each_item(std::size_t threads, std::size_t items,
                   const std::function<void(std::size_t worker, std::size_t item)>& work);

}  // namespace diffeo
