// Whether the operators have kernels for GPUs: cuda_operators.cpp says yes, without_cuda.cpp no.
//
// One of the two is linked. Each registers its functions as it is loaded, which no symbol refers to, and a linker leaves
// out of an archive what nobody refers to. So the operators ask.
#pragma once

namespace diffeo {

[[nodiscard]] bool has_kernels_for_cuda() noexcept;

}  // namespace diffeo
