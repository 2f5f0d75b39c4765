// How far warps move things, and how strong they must be to move them just so far.
#pragma once

#include <functional>

namespace diffeo {

/// The strength at which the largest displacement is `wanted`: never more, and to a relative 1e-6. `largest` answers the
/// displacement at a strength, is continuous and grows from 0. std::invalid_argument when no strength gets that far.
[[nodiscard]] double strength_reaching(double wanted, const std::function<double(double strength)>& largest);

}  // namespace diffeo
