// A grid of settings: all combinations of values of some hyperparameters.
//
//   std::vector<Factor> factors = {factor_of("cells=16,32"), factor_of("layers=1,5")};
//   settings_grid(factors);        // {cells 16, layers 1}, {16, 5}, {32, 1}, {32, 5}
//
//   * values are as typed: diffeo/training_options.hpp
//   * lists (widths, kernels) contain commas, so semicolons separate their values: widths=32,32;64,64
//   * the first factor changes slowest; this order breaks ties between equally good settings
//   * std::invalid_argument for names, values and combinations that training options refuse, for a factor without
//     values, and for duplicate values or names
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diffeo/training_options.hpp"

namespace diffeo {

struct Factor {
  std::string name;  ///< of the hyperparameter
  std::vector<std::string> values;

  bool operator==(const Factor&) const = default;
};

/// "name=a,b,c"; dashes may replace underscores.
[[nodiscard]] Factor factor_of(std::string_view text);

/// Values by hyperparameter.
using Setting = std::map<std::string, std::string>;

[[nodiscard]] std::vector<Setting> settings_grid(std::span<const Factor> factors);

/// Options with a setting applied. std::invalid_argument, which names the setting, for contradicting values.
[[nodiscard]] TrainingOptions with_setting(const TrainingOptions& options, const Setting& setting);

/// The search space of Martinez et al. (2022): 96 settings. Cells 16, 32, 64; the prior's variance, as the equivalent
/// weight (a tenth of the variance is ten times the weight: 1e-3 and 1e-2); its length scale 0.1, 0.5; layers 1,
/// 5; the closed form, or scaling and squaring with `method_steps` squarings (default 8); a zero boundary or
/// none.
[[nodiscard]] std::vector<Factor> paper_grid();

}  // namespace diffeo
