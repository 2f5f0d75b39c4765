// The operators on a GPU, where there are no kernels for it: an error that says so, never a run on the processor.
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <torch/library.h>

#include "cuda_part.hpp"

namespace diffeo {
namespace {

void refuse(const c10::OperatorHandle& operation, torch::jit::Stack*) {
  TORCH_CHECK_NOT_IMPLEMENTED(false, operation.schema().name(),
                              ": this build of diffeo has no kernels for CUDA. Move the tensors to the CPU, or build "
                              "diffeo with DIFFEO_BUILD_CUDA=ON against a torch that has CUDA.");
}

}  // namespace

bool has_kernels_for_cuda() noexcept { return false; }

TORCH_LIBRARY_IMPL(diffeo_cpp, CUDA, library) {
  for (const char* name : {"flow", "flow_backward", "flow_log_slope", "flow_log_slope_backward", "sample",
                           "sample_backward", "warp", "warp_backward"}) {
    library.impl(name, torch::CppFunction::makeFromBoxedFunction<&refuse>());
  }
}

}  // namespace diffeo
