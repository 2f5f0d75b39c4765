#include "experiments/processor_model.hpp"

#include <fstream>
#include <string_view>

#include "options/trimmed.hpp"

namespace diffeo {
namespace {

constexpr std::string_view kField = "model name";

}  // namespace

std::string processor_model(std::istream& cpuinfo) {
  for (std::string line; std::getline(cpuinfo, line);) {
    const std::size_t colon = line.find(':');
    if (!line.starts_with(kField) || colon == std::string::npos) continue;
    const std::string name(trimmed(std::string_view(line).substr(colon + 1)));
    if (!name.empty()) return name;
  }
  return "unknown";
}

const std::string& processor_model() {
  static const std::string name = [] {
    std::ifstream file("/proc/cpuinfo");
    return processor_model(file);
  }();
  return name;
}

}  // namespace diffeo
