#include "cli/setting_words.hpp"

#include <algorithm>
#include <vector>

#include "diffeo/training_options.hpp"

namespace diffeo::cli {
namespace {

/// A method is the preset of its name, or any of the presets that are diffeo's own.
std::vector<std::string_view> presets_of(const std::string& method) {
  std::vector<std::string_view> names = preset_names();
  const bool is_preset = std::ranges::find(names, method) != names.end();
  std::erase_if(
      names, [&](std::string_view name) { return is_preset ? name != method : name == "dtan" || name == "resnet-tw"; });
  return names;
}

std::string differences(std::string_view preset_name, const std::map<std::string, std::string>& options,
                        std::size_t& count) {
  const TrainingOptions usual = preset(preset_name);
  std::string text;
  count = 0;
  for (const Hyperparameter& each : hyperparameters()) {
    const auto found = options.find(std::string(each.name));
    if (found == options.end() || found->second == hyperparameter_text(usual, each)) continue;
    text += (text.empty() ? "" : ", ") + found->first + " " + found->second;
    ++count;
  }
  return text;
}

}  // namespace

std::string setting_words(const std::string& method, const std::map<std::string, std::string>& options) {
  if (!options.contains("cells")) return "";
  std::string nearest;
  std::string changes;
  std::size_t fewest = options.size() + 1;
  for (const std::string_view name : presets_of(method)) {
    std::size_t count = 0;
    const std::string text = differences(name, options, count);
    if (count >= fewest) continue;
    fewest = count;
    changes = text;
    nearest = name == "default" ? "the defaults" : "the preset " + std::string(name);
  }
  return changes.empty() ? nearest : nearest + " with " + changes;
}

}  // namespace diffeo::cli
