#include "data/case_source.hpp"

namespace diffeo::files {

Dataset TextCases::all() {
  while (read_case()) {
  }
  return builder_.finish();
}

std::optional<Dataset> TextCases::next(const PartSize& size) {
  builder_.give_in_parts();
  while (builder_.waiting_cases() < size.cases && builder_.waiting_values() < size.values && read_case()) {
  }
  if (builder_.waiting_cases() > 0) return builder_.take();
  if (builder_.cases() == 0) return builder_.finish();  // which says that there is none
  return std::nullopt;
}

}  // namespace diffeo::files
