// Text and numbers as HTML. What comes from outside goes through `escaped`; what is built here is HTML already.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace diffeo::report {

/// Shown as it is, in text and in attributes between double quotes.
[[nodiscard]] std::string escaped(std::string_view text);

/// JSON as the content of a script element: the same value, without a letter that HTML would react to.
[[nodiscard]] std::string escaped_json(std::string_view json);

/// A number for people, in so many digits: 155, 0.5613, 1.2e-05.
[[nodiscard]] std::string short_number(double value, int digits = 4);
/// 12,345
[[nodiscard]] std::string grouped(std::size_t count);
/// 93.3 %, on one line
[[nodiscard]] std::string percent(double part);
/// "1 series", "3 classes": the number and the word that goes with it.
[[nodiscard]] std::string counted(std::size_t count, std::string_view one, std::string_view several);

/// A number shown in short that keeps all its digits for machines: <data value="0.123456789">.
[[nodiscard]] std::string data_element(double value, std::string_view shown);

}  // namespace diffeo::report
