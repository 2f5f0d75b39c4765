// Memory handed out in order from one block that the caller owns.
//
// An arena without memory counts: the same code that takes the arrays says how many bytes they need.
#pragma once

#include <algorithm>
#include <cstddef>

namespace diffeo::cuda {

class Arena {
 public:
  /// Of every array; a GPU reads whole lines of 128 bytes.
  static constexpr std::size_t kAlignment = 256;

  Arena() = default;
  explicit Arena(void* memory) : memory_(static_cast<std::byte*>(memory)) {}

  template <class T>
  [[nodiscard]] T* take(std::size_t count) {
    used_ = (used_ + kAlignment - 1) / kAlignment * kAlignment;
    T* const array = memory_ == nullptr ? nullptr : reinterpret_cast<T*>(memory_ + used_);
    used_ += count * sizeof(T);
    return array;
  }
  [[nodiscard]] std::size_t used() const noexcept { return used_; }

 private:
  std::byte* memory_ = nullptr;
  std::size_t used_ = 0;
};

/// How much of a batch is worked on at a time. Tables that fit into a GPU's second-level cache are not read from its
/// memory again; too few fields at a time leave parts of it idle, unless they are large.
struct Budget {
  std::size_t bytes = std::size_t{16} << 20;
  std::size_t fewest = 128;  // items, where they fit into ...
  std::size_t most_bytes = std::size_t{256} << 20;

  /// Items of so many bytes each, of a batch, in one pass; at least one.
  [[nodiscard]] std::size_t items(std::size_t bytes_each, std::size_t batch) const noexcept {
    const std::size_t few = std::min(fewest, most_bytes / bytes_each);
    return std::max<std::size_t>(std::min(std::max(bytes / bytes_each, few), batch), 1);
  }
};

/// Calls visit(first, count) for consecutive parts of a batch.
template <class Visit>
void for_each_pass(std::size_t batch, std::size_t items, const Visit& visit) {
  for (std::size_t first = 0; first < batch; first += items) {
    visit(first, batch - first < items ? batch - first : items);
  }
}

}  // namespace diffeo::cuda
