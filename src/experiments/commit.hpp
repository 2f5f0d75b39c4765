// Which source the program was built from.
#pragma once

#include <string_view>

namespace diffeo {

/// As `git describe` names it, marked where tracked files differed; "unknown" for a source that is no git repository.
[[nodiscard]] std::string_view commit() noexcept;

}  // namespace diffeo
