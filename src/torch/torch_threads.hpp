// How many threads torch uses, for a while.
//
// Torch counts threads for every thread that calls it, so this rules the calling thread alone.
#pragma once

#include <ATen/Parallel.h>

#include <cstddef>

namespace diffeo {

/// Leaves torch's number of threads as it found it.
class TorchThreads {
 public:
  TorchThreads() : before_(at::get_num_threads()) {}
  explicit TorchThreads(int threads) : TorchThreads() { at::set_num_threads(threads); }
  TorchThreads(const TorchThreads&) = delete;
  TorchThreads& operator=(const TorchThreads&) = delete;
  ~TorchThreads() { at::set_num_threads(before_); }

  [[nodiscard]] std::size_t before() const noexcept { return static_cast<std::size_t>(before_); }

 private:
  int before_;
};

}  // namespace diffeo
