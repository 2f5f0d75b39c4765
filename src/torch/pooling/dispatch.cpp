#include <string_view>

#include "diffeo/version.hpp"
#include "kernel_set.hpp"

namespace diffeo {

namespace kernels::baseline {
extern const pooling::PoolingKernels pooling_kernels;
}
#if defined(DIFFEO_HAVE_X86_KERNELS)
namespace kernels::avx2 {
extern const pooling::PoolingKernels pooling_kernels;
}
namespace kernels::avx512 {
extern const pooling::PoolingKernels pooling_kernels;
}
#endif

namespace pooling {

const PoolingKernels& pooling_kernels() noexcept {
#if defined(DIFFEO_HAVE_X86_KERNELS)
  const std::string_view name = instruction_set();
  if (name == "avx512") return kernels::avx512::pooling_kernels;
  if (name == "avx2") return kernels::avx2::pooling_kernels;
#endif
  return kernels::baseline::pooling_kernels;
}

}  // namespace pooling
}  // namespace diffeo
