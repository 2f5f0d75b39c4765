// Settings to try: some hyper-parameters, each with some values, and all combinations of them.
//
//   std::vector<Factor> factors = {factor_of("cells=16,32"), factor_of("layers=1,5")};
//   settings_grid(factors);        // {cells 16, layers 1}, {16, 5}, {32, 1}, {32, 5}
//
//   * values are as typed: diffeo/training_options.hpp
//   * lists (widths, kernels) have commas of their own, so their values are divided by semicolons: widths=32,32;64,64
//   * the first factor changes slowest; this order decides between settings that are equally good
//   * std::invalid_argument for names, values and combinations that training options refuse; for a factor without
//     values, a value that is given twice, or a name that is
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diffeo/training_options.hpp"

namespace diffeo {

struct Factor {
  std::string name;  ///< of the hyper-parameter
  std::vector<std::string> values;

  bool operator==(const Factor&) const = default;
};

/// "name=a,b,c"; dashes for underscores are understood.
[[nodiscard]] Factor factor_of(std::string_view text);

/// Values by hyper-parameter.
using Setting = std::map<std::string, std::string>;

[[nodiscard]] std::vector<Setting> settings_grid(std::span<const Factor> factors);

/// Options with a setting on top. std::invalid_argument, with the setting, for values that contradict each other.
[[nodiscard]] TrainingOptions with_setting(const TrainingOptions& options, const Setting& setting);

/// The search space of Martinez et al. (2022): 96 settings. Cells 16, 32, 64; the prior's variance, as the weight that
/// it amounts to (a tenth of the variance is ten times the weight: 1e-3 and 1e-2); its length scale 0.1, 0.5; layers 1,
/// 5; the closed form, or scaling and squaring with the squarings of `method_steps`, 8 if not given; a zero boundary or
/// none.
[[nodiscard]] std::vector<Factor> paper_grid();

}  // namespace diffeo
