#include <cstdlib>
#include <string_view>
#include <type_traits>

#include "core/kernels/kernel_set.hpp"

namespace diffeo::kernels {

#define DIFFEO_DECLARE_KERNELS(target)           \
  namespace target {                             \
  extern const KernelSet<float> float_kernels;   \
  extern const KernelSet<double> double_kernels; \
  }

DIFFEO_DECLARE_KERNELS(baseline)
#if defined(DIFFEO_HAVE_X86_KERNELS)
DIFFEO_DECLARE_KERNELS(avx2)
DIFFEO_DECLARE_KERNELS(avx512)
#endif

namespace {

enum class InstructionSet { kBaseline, kAvx2, kAvx512 };

InstructionSet supported() noexcept {
#if defined(DIFFEO_HAVE_X86_KERNELS)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl")) {
    return InstructionSet::kAvx512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return InstructionSet::kAvx2;
#endif
  return InstructionSet::kBaseline;
}

InstructionSet chosen() noexcept {
  const InstructionSet best = supported();
  const char* wish = std::getenv("DIFFEO_INSTRUCTION_SET");
  if (wish == nullptr) return best;
  if (std::string_view(wish) == "baseline") return InstructionSet::kBaseline;
  if (std::string_view(wish) == "avx2" && best >= InstructionSet::kAvx2) return InstructionSet::kAvx2;
  return best;
}

template <class Real>
const KernelSet<Real>& pick(const KernelSet<float>& single_precision, const KernelSet<double>& double_precision) {
  if constexpr (std::is_same_v<Real, float>) {
    return single_precision;
  } else {
    return double_precision;
  }
}

}  // namespace

template <class Real>
const KernelSet<Real>& best_kernels() {
#if defined(DIFFEO_HAVE_X86_KERNELS)
  switch (chosen()) {
    case InstructionSet::kAvx512:
      return pick<Real>(avx512::float_kernels, avx512::double_kernels);
    case InstructionSet::kAvx2:
      return pick<Real>(avx2::float_kernels, avx2::double_kernels);
    case InstructionSet::kBaseline:
      break;
  }
#endif
  return pick<Real>(baseline::float_kernels, baseline::double_kernels);
}

template const KernelSet<float>& best_kernels<float>();
template const KernelSet<double>& best_kernels<double>();

}  // namespace diffeo::kernels
