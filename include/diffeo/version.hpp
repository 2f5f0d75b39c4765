// The version of diffeo and of its environment: for --version, bug reports and result files.
//
//   * strings live as long as the program; never throws
#pragma once

#include <string_view>

namespace diffeo {

/// The release, as in the file VERSION: "0.1.0".
[[nodiscard]] std::string_view version() noexcept;

/// The compiler the library was built with: "GCC 12.2.0".
[[nodiscard]] std::string_view compiler() noexcept;

/// The kernels in use on this machine: "baseline", "avx2" or "avx512". The environment variable
/// DIFFEO_INSTRUCTION_SET may select a smaller one.
[[nodiscard]] std::string_view instruction_set() noexcept;

}  // namespace diffeo
