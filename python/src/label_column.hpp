// The label column of a .csv file as Python says it.
#pragma once

#include <pybind11/stl.h>

#include <cstddef>
#include <optional>
#include <string>
#include <variant>

#include "diffeo/files.hpp"

namespace diffeo::python {

/// None: the usual column; False: none; a name or a number: that one.
using LabelArgument = std::optional<std::variant<bool, std::ptrdiff_t, std::string>>;

[[nodiscard]] inline ReadOptions reading(const LabelArgument& label) {
  if (!label) return {UsualLabelColumn{}};
  if (std::holds_alternative<bool>(*label)) return {NoLabelColumn{}};
  if (const std::ptrdiff_t* number = std::get_if<std::ptrdiff_t>(&*label)) return {*number};
  return {std::get<std::string>(*label)};
}

}  // namespace diffeo::python
