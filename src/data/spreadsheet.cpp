#include "data/spreadsheet.hpp"

#include <algorithm>

#include "data/number_text.hpp"

namespace diffeo::files {
namespace {

/// Whether a formula follows the apostrophes at the front, which may be none.
bool is_formula_behind(std::string_view text, std::size_t apostrophes) {
  text.remove_prefix(apostrophes);
  constexpr std::string_view kBeginnings = "=+-@\t\r";
  return !text.empty() && kBeginnings.find(text.front()) != kBeginnings.npos && !number_in(text);
}

std::size_t apostrophes_of(std::string_view text) { return std::min(text.find_first_not_of('\''), text.size()); }

}  // namespace

std::string text_for_spreadsheet(std::string_view label) {
  std::string text(is_formula_behind(label, apostrophes_of(label)) ? 1 : 0, '\'');
  return text.append(label);
}

std::string label_from_spreadsheet(std::string_view text) {
  const std::size_t apostrophes = apostrophes_of(text);
  if (apostrophes > 0 && is_formula_behind(text, apostrophes)) text.remove_prefix(1);
  return std::string(text);
}

}  // namespace diffeo::files
