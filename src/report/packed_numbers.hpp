// Numbers as base64 for a page: float or double, the least significant byte first; any NaN stays NaN
// (src/report/page/packed.js reads them).
#pragma once

#include <span>
#include <string>
#include <vector>

namespace diffeo::report {

/// Rounded to float: what is drawn needs no more.
[[nodiscard]] std::string packed_floats(std::span<const double> values);
[[nodiscard]] std::string packed_doubles(std::span<const double> values);

}  // namespace diffeo::report
