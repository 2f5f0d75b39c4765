#include <string_view>

#include "baselines/kernels/kernel_set.hpp"
#include "diffeo/version.hpp"

namespace diffeo::kernels {

namespace baseline {
extern const BaselineKernels baseline_kernels;
}
#if defined(DIFFEO_HAVE_X86_KERNELS)
namespace avx2 {
extern const BaselineKernels baseline_kernels;
}
namespace avx512 {
extern const BaselineKernels baseline_kernels;
}
#endif

const BaselineKernels& baseline_kernels() noexcept {
#if defined(DIFFEO_HAVE_X86_KERNELS)
  const std::string_view name = instruction_set();
  if (name == "avx512") return avx512::baseline_kernels;
  if (name == "avx2") return avx2::baseline_kernels;
#endif
  return baseline::baseline_kernels;
}

}  // namespace diffeo::kernels
