// Labels that a spreadsheet would take for formulas: =1+1, @name, -x, +x. A file from a stranger could make it compute, or
// send, something. In .csv they get an apostrophe in front, which spreadsheets take for "this is text".
//
//   * text_for_spreadsheet(label) is what is written, label_from_spreadsheet(text) what is read: labels keep their text
//   * numbers stay as they are: -1 is a formula of no harm
#pragma once

#include <string>
#include <string_view>

namespace diffeo::files {

[[nodiscard]] std::string text_for_spreadsheet(std::string_view label);
[[nodiscard]] std::string label_from_spreadsheet(std::string_view text);

}  // namespace diffeo::files
