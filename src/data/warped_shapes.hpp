// The shapes that generate_warped warps: sums of peaks, level changes and ringing.
#pragma once

#include <cstddef>
#include <vector>

#include "diffeo/generate_warped.hpp"
#include "diffeo/random.hpp"

namespace diffeo {

/// One part of a shape, as a function of u = (x - center) / width:
///   peak      height * exp(-u^2 / 2)
///   edge      height * (1 + erf(u / sqrt 2)) / 2: a change of level
///   ringing   height * exp(-u / 2) sin(2 pi u) from u = 0 on: what follows a change of level
struct ShapePart {
  enum class Form { peak, edge, ringing };
  Form form = Form::peak;
  double center = 0;
  double width = 1;
  double height = 1;
  bool of_any_height = false;  ///< the height's factor is 0.3 to 3, log-uniform: an R wave
};

using WarpedShape = std::vector<ShapePart>;

[[nodiscard]] double value_at(const WarpedShape& shape, double x);

struct WarpedTemplate {
  std::vector<WarpedShape> channels;
  std::vector<double> marks;  ///< increasing
};

[[nodiscard]] WarpedTemplate draw_template(WarpedKind kind, Random& random, std::size_t peaks, std::size_t channels);

/// The shape with heights and widths of its own. Draws as often whatever the deviations are.
[[nodiscard]] WarpedShape varied(const WarpedShape& shape, Random& random, double height, double width);

}  // namespace diffeo
