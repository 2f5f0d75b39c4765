// Text and numbers as a figure writes them. What comes from outside goes through `figure_escaped`.
#pragma once

#include <string>
#include <string_view>

namespace diffeo::figures {

/// Shown as it is, in text and in attributes between double quotes. What XML does not allow (control characters, bytes
/// that are no UTF-8) becomes U+FFFD, so that a figure can always be read as a file of its own.
[[nodiscard]] std::string figure_escaped(std::string_view text);

/// A coordinate, to a tenth: 12, 0.5, -3.1.
[[nodiscard]] std::string coordinate(double value);
/// An opacity, to a hundredth.
[[nodiscard]] std::string opacity_text(double value);

/// A number for people, in so many significant digits and with a true minus sign: 0.561, −3, 1.2e-5, missing.
[[nodiscard]] std::string shown_number(double value, int digits = 3);

/// A number for people with so many digits after the point: 0.820, −1.5.
[[nodiscard]] std::string fixed_number(double value, int decimals);

/// A p-value as people write it: p = 0.031, p < 0.0001.
[[nodiscard]] std::string shown_p_value(double value);

/// About how wide text is, in units of drawing; fonts differ, so leave some air.
[[nodiscard]] double text_width(std::string_view text, double size);

/// Cut to about that width, with an ellipsis where something is missing.
[[nodiscard]] std::string fitted_text(std::string_view text, double size, double width);

}  // namespace diffeo::figures
