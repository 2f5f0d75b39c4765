#include <string_view>

#include "align/kernels/kernel_set.hpp"
#include "diffeo/version.hpp"

namespace diffeo::kernels {

namespace baseline {
extern const AlignKernels align_kernels;
}
#if defined(DIFFEO_HAVE_X86_KERNELS)
namespace avx2 {
extern const AlignKernels align_kernels;
}
namespace avx512 {
extern const AlignKernels align_kernels;
}
#endif

const AlignKernels& align_kernels() noexcept {
#if defined(DIFFEO_HAVE_X86_KERNELS)
  const std::string_view name = instruction_set();
  if (name == "avx512") return avx512::align_kernels;
  if (name == "avx2") return avx2::align_kernels;
#endif
  return baseline::align_kernels;
}

}  // namespace diffeo::kernels
