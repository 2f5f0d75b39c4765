// Kernel bodies, and the processor as a machine that runs them.
//
// A kernel is a small struct: its arguments as members, how many threads a block has, what they share, and a body
//
//     static constexpr unsigned kThreads;
//     struct Shared;                               plain data; holds anything at all when the body begins
//     template <class Block> void operator()(Block& block) const;
//
// The body is written for a block as a whole. What one thread does between two barriers stands in a call
//
//     block.each_thread([&](unsigned thread) { ... });
//
// which on a GPU does it for the thread that calls and waits for the others (device_launcher.cuh), and on the processor
// does it for all threads in turn. So threads keep nothing from one phase to the next except in memory, and whatever
// stands between the phases is the same for all of them and writes nothing. Blocks do not wait for each other, and
// there may be fewer than items of work: a body goes through its items by block.index(), block.index() + block.count(),
// ...
//
// No result may depend on the order of threads within a phase, nor on that of blocks. The executor can run both
// backwards, and hands every block memory that is filled with noise.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>

namespace diffeo::cuda {

/// Nothing is shared.
struct Nothing {};

enum class Order { kForwards, kBackwards };

template <class Shared>
class HostBlock {
 public:
  HostBlock(std::size_t index, std::size_t count, unsigned threads, Order order, Shared& shared)
      : index_(index), count_(count), threads_(threads), order_(order), shared_(shared) {}

  [[nodiscard]] std::size_t index() const noexcept { return index_; }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] Shared& shared() const noexcept { return shared_; }

  template <class Work>
  void each_thread(const Work& work) const {
    for (unsigned i = 0; i < threads_; ++i) work(order_ == Order::kForwards ? i : threads_ - 1 - i);
  }

 private:
  std::size_t index_;
  std::size_t count_;
  unsigned threads_;
  Order order_;
  Shared& shared_;
};

/// Runs kernels at once, on the thread that calls. `most_blocks` is the largest grid that is asked for.
class HostExecutor {
 public:
  explicit HostExecutor(Order order = Order::kForwards, std::size_t most_blocks = 1u << 20)
      : order_(order), most_blocks_(most_blocks) {}

  template <class Kernel>
  void run(const Kernel& kernel, std::size_t blocks) const {
    using Shared = typename Kernel::Shared;
    const std::size_t count = blocks < most_blocks_ ? blocks : most_blocks_;
    const auto memory = std::make_unique_for_overwrite<Shared>();
    for (std::size_t i = 0; i < count; ++i) {
      std::memset(static_cast<void*>(memory.get()), kNoise, sizeof(Shared));
      const std::size_t index = order_ == Order::kForwards ? i : count - 1 - i;
      const HostBlock<Shared> block(index, count, Kernel::kThreads, order_, *memory);
      kernel(block);
    }
  }

 private:
  static constexpr int kNoise = 0xff;  // not numbers, wherever numbers are

  Order order_;
  std::size_t most_blocks_;
};

}  // namespace diffeo::cuda
