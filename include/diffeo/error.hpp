// How diffeo reports invalid arguments.
//
// Public functions check their arguments and throw std::invalid_argument with one sentence that names the argument,
// the expected and the actual value. The kernels below them trust their input and never throw.
//
//   require(count > 0, "points: expected at least one, got ", count);
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace diffeo {

/// Concatenates the parts of a message; numbers get enough digits to recognize the given value.
template <class... Parts>
[[nodiscard]] std::string message(const Parts&... parts) {
  std::ostringstream text;
  text.precision(12);
  (text << ... << parts);
  return text.str();
}

/// Throws std::invalid_argument with the message of `parts` unless `condition` holds.
template <class... Parts>
void require(bool condition, const Parts&... parts) {
  if (!condition) throw std::invalid_argument(message(parts...));
}

}  // namespace diffeo
