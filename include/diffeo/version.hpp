// Which diffeo this is, and what it runs on: for --version, bug reports and result files.
//
//   * text that lives as long as the program; never throws
#pragma once

#include <string_view>

namespace diffeo {

/// The release, as in the file VERSION: "0.1.0".
[[nodiscard]] std::string_view version() noexcept;

/// The compiler the library was built with: "GCC 12.2.0".
[[nodiscard]] std::string_view compiler() noexcept;

/// The kernels that this machine runs: "baseline", "avx2" or "avx512". The environment's
/// DIFFEO_INSTRUCTION_SET may name a lesser one.
[[nodiscard]] std::string_view instruction_set() noexcept;

}  // namespace diffeo
