// A GPU as a machine that runs kernel bodies (host_executor.hpp says how they are written).
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>

#include "core/kernels/inline.hpp"

namespace diffeo::cuda {

/// The block that a thread of a GPU is in. (Also for the host's compiler to read, which never runs it.)
template <class Shared>
class DeviceBlock {
 public:
  DIFFEO_MEMBER explicit DeviceBlock(Shared& shared) : shared_(shared) {}

#if defined(__CUDA_ARCH__)
  DIFFEO_MEMBER std::size_t index() const { return blockIdx.x; }
  DIFFEO_MEMBER std::size_t count() const { return gridDim.x; }
#else
  DIFFEO_MEMBER std::size_t index() const { return 0; }
  DIFFEO_MEMBER std::size_t count() const { return 1; }
#endif
  DIFFEO_MEMBER Shared& shared() const { return shared_; }

  template <class Work>
  DIFFEO_MEMBER void each_thread(const Work& work) const {
#if defined(__CUDA_ARCH__)
    work(threadIdx.x);
    __syncthreads();
#else
    (void)work;
#endif
  }

 private:
  Shared& shared_;
};

/// Threads that a multiprocessor holds at least: what is left to each is 128 registers, and none has to live in memory.
inline constexpr unsigned kResidentThreads = 512;

template <class Kernel>
__global__ void __launch_bounds__(Kernel::kThreads, kResidentThreads / Kernel::kThreads)
    run_kernel(const __grid_constant__ Kernel kernel) {
  __shared__ typename Kernel::Shared shared;
  const DeviceBlock<typename Kernel::Shared> block(shared);
  kernel(block);
}

/// Puts kernels into a stream of the current device, and returns at once.
class DeviceLauncher {
 public:
  explicit DeviceLauncher(cudaStream_t stream) : stream_(stream) {}

  /// std::runtime_error where the device does not take the kernel.
  template <class Kernel>
  void run(const Kernel& kernel, std::size_t blocks) const {
    if (blocks == 0) return;
    const auto grid = static_cast<unsigned>(std::min<std::size_t>(blocks, std::numeric_limits<int>::max()));
    run_kernel<<<grid, Kernel::kThreads, 0, stream_>>>(kernel);
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(error));
  }

 private:
  cudaStream_t stream_;
};

}  // namespace diffeo::cuda
