#include "diffeo/version.hpp"

#include "core/kernels/kernel_set.hpp"

#define DIFFEO_TEXT_OF(value) #value
#define DIFFEO_TEXT(value) DIFFEO_TEXT_OF(value)

namespace diffeo {

std::string_view version() noexcept { return DIFFEO_VERSION; }

std::string_view compiler() noexcept {
#if defined(__clang__)
  return "Clang " DIFFEO_TEXT(__clang_major__) "." DIFFEO_TEXT(__clang_minor__) "." DIFFEO_TEXT(__clang_patchlevel__);
#elif defined(__GNUC__)
  return "GCC " DIFFEO_TEXT(__GNUC__) "." DIFFEO_TEXT(__GNUC_MINOR__) "." DIFFEO_TEXT(__GNUC_PATCHLEVEL__);
#else
  return "unknown compiler";
#endif
}

std::string_view instruction_set() noexcept { return kernels::best_kernels<float>().name; }

}  // namespace diffeo
