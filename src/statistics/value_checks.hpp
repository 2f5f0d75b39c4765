// What public functions of this layer ask of their arguments. All throw std::invalid_argument.
#pragma once

#include <span>
#include <string_view>

#include "diffeo/statistics/score_table.hpp"

namespace diffeo::statistics {

void require_finite_values(std::span<const double> values, std::string_view name);
/// Both finite, and as many of the one as of the other.
void require_pairs(std::span<const double> first, std::span<const double> second);
void require_complete(const ScoreTable& table);
void require_method(const ScoreTable& table, std::size_t method);
void require_level(double level);

}  // namespace diffeo::statistics
