// How diffeo refuses bad input.
//
// Public functions check their arguments and throw std::invalid_argument with one sentence that names the argument,
// what was expected and what came. The kernels below them trust what they get and never throw.
//
//   require(count > 0, "points: expected at least one, got ", count);
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace diffeo {

/// The parts of a message, written one after the other; numbers in enough digits to recognise the value given.
template <class... Parts>
[[nodiscard]] std::string message(const Parts&... parts) {
  std::ostringstream text;
  text.precision(12);
  (text << ... << parts);
  return text.str();
}

/// Throws std::invalid_argument with the message made of `parts` unless `condition` holds.
template <class... Parts>
void require(bool condition, const Parts&... parts) {
  if (!condition) throw std::invalid_argument(message(parts...));
}

}  // namespace diffeo
