// A setting in a few words: how it differs from the preset that it is nearest to.
//
//   setting_words("diffeo", options)          // "the preset ensemble", "the defaults with cells 64, epochs 50"
//
//   * of methods with a network only: empty for those without options of one
//   * of presets that are equally near, the first of preset_names
#pragma once

#include <map>
#include <string>

namespace diffeo::cli {

[[nodiscard]] std::string setting_words(const std::string& method, const std::map<std::string, std::string>& options);

}  // namespace diffeo::cli
