// The message with which something is refused.
#pragma once

#include <stdexcept>
#include <string>

namespace diffeo::testing {

/// What std::invalid_argument said; empty where nothing was thrown.
std::string message_of(const auto& action) {
  try {
    action();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

}  // namespace diffeo::testing
