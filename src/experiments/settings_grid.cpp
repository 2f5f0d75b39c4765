#include "diffeo/settings_grid.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include "diffeo/error.hpp"

namespace diffeo {
namespace {

std::vector<std::string> divided(std::string_view text, char divider) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t end = text.find(divider);
    std::string_view part = text.substr(0, end);
    part.remove_prefix(std::min(part.find_first_not_of(" \t"), part.size()));
    part = part.substr(0, part.find_last_not_of(" \t") + 1);
    parts.emplace_back(part);
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

void check_factors(std::span<const Factor> factors) {
  std::set<std::string> names;
  for (const Factor& factor : factors) {
    require(names.insert(factor.name).second, factor.name, ": expected to vary it once, got it twice");
    require(!factor.values.empty(), factor.name, ": expected values to try, got none");
    std::set<std::string> values;
    for (const std::string& value : factor.values) {
      TrainingOptions options;
      set_hyperparameter(options, factor.name, value);
      const std::string meaning = hyperparameter_text(options, hyperparameter(factor.name));
      require(values.insert(meaning).second, factor.name, ": expected different values, got ", value, " twice");
    }
  }
}

}  // namespace

Factor factor_of(std::string_view text) {
  const std::size_t equals = text.find('=');
  require(equals != std::string_view::npos && equals > 0, "expected name=value,value,..., got ", text);
  Factor factor;
  factor.name = text.substr(0, equals);
  std::ranges::replace(factor.name, '-', '_');
  const bool is_list = type_name(hyperparameter(factor.name)) == "integers";
  factor.values = divided(text.substr(equals + 1), is_list ? ';' : ',');
  check_factors(std::span(&factor, 1));
  return factor;
}

std::vector<Setting> settings_grid(std::span<const Factor> factors) {
  check_factors(factors);
  std::vector<Setting> settings = {{}};
  for (const Factor& factor : factors) {
    std::vector<Setting> longer;
    for (const Setting& setting : settings) {
      for (const std::string& value : factor.values) {
        longer.push_back(setting);
        longer.back()[factor.name] = value;
      }
    }
    settings = std::move(longer);
  }
  return settings;
}

TrainingOptions with_setting(const TrainingOptions& options, const Setting& setting) {
  TrainingOptions result = options;
  for (const auto& [name, value] : setting) set_hyperparameter(result, name, value);
  try {
    check_training_options(result);
  } catch (const std::invalid_argument& problem) {
    std::string text;
    for (const auto& [name, value] : setting) text.append(text.empty() ? "" : ", ").append(name + " " + value);
    throw std::invalid_argument(message(problem.what(), " (with ", text, ")"));
  }
  return result;
}

std::vector<Factor> paper_grid() {
  return {
      {"cells", {"16", "32", "64"}}, {"prior_weight", {"0.001", "0.01"}},       {"length_scale", {"0.1", "0.5"}},
      {"layers", {"1", "5"}},        {"method", {"exact", "scaling-squaring"}}, {"zero_boundary", {"true", "false"}}};
}

}  // namespace diffeo
