// Colours for values: ten stations of viridis, as on report pages. Equal steps look equally large, in grey and to
// colour-blind people; the same in light and dark pages.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace diffeo::figures {

using Colour = std::array<std::uint8_t, 3>;

/// From dark (0) to light (1); what is outside has the colour of the end.
[[nodiscard]] Colour heat_colour(double part);
/// #440154
[[nodiscard]] std::string hexadecimal(const Colour& colour);
/// Black or white, whichever can be read on it.
[[nodiscard]] std::string readable_on(const Colour& colour);

}  // namespace diffeo::figures
