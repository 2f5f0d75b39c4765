// Work on many items in rounds of a fifth of a second, so that whoever waits can be asked between them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

#include "diffeo/threads.hpp"

namespace diffeo {

/// for_each_item (diffeo/threads.hpp) over all items, with a call of `between`, if there is one, before every round by
/// the thread that called; what it throws comes out.
template <class Work>
void for_each_item_in_rounds(std::size_t workers, std::size_t items, double nanoseconds_per_item,
                             const std::function<void()>& between, const Work& work) {
  constexpr double kRound = 2e8;  // nanoseconds
  std::size_t at_once = items;
  if (between && nanoseconds_per_item * static_cast<double>(items) > kRound) {
    at_once = workers * std::max<std::size_t>(1, static_cast<std::size_t>(kRound / nanoseconds_per_item));
  }
  for (std::size_t first = 0; first < items; first += at_once) {
    if (between) between();
    for_each_item(workers, std::min(at_once, items - first),
                  [&](std::size_t worker, std::size_t item) { work(worker, first + item); });
  }
}

}  // namespace diffeo
