// How many threads torch uses, for a while.
//
// Torch counts threads for every thread that calls it, so this rules the calling thread alone. But at the first parallel
// region of a thread it takes over the last number that anybody set in the process: between setting a number and using
// it, a fit on another thread could change it, and with it the order of sums. So a thread is begun before it is set.
#pragma once

#include <ATen/Parallel.h>

#include <cstddef>

namespace diffeo {

/// For the calling thread, whatever other threads set meanwhile.
inline void set_torch_threads(int threads) {
  (void)at::get_num_threads();            // begins the thread in torch's own library, ...
  at::internal::lazy_init_num_threads();  // ... and in what is compiled from torch's headers here
  at::set_num_threads(threads);
}

/// Leaves torch's number of threads as it found it.
class TorchThreads {
 public:
  TorchThreads() : before_(at::get_num_threads()) {}
  explicit TorchThreads(int threads) : TorchThreads() { set_torch_threads(threads); }
  TorchThreads(const TorchThreads&) = delete;
  TorchThreads& operator=(const TorchThreads&) = delete;
  ~TorchThreads() { set_torch_threads(before_); }

  [[nodiscard]] std::size_t before() const noexcept { return static_cast<std::size_t>(before_); }

 private:
  int before_;
};

}  // namespace diffeo
