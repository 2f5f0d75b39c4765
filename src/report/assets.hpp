// The style sheets and scripts of report pages (src/report/page), which the build puts into the library.
#pragma once

#include <string_view>

namespace diffeo::report {

/// By file name: "theme.css". std::logic_error for one that is not there.
[[nodiscard]] std::string_view asset(std::string_view name);

}  // namespace diffeo::report
