// The fields and points on which numerical studies compare ways to flow.
//
//   StudySetting setting;                              // 100 smooth random fields of 5 cells, 1000 random points each
//   const StudyFields fields = study_fields(setting);
//   flow(fields.problem(), positions);
//
// Where theta comes from:
//
//   prior    the smoothness prior of diffeo/prior.hpp with standard deviation `size`
//   normal   independent normal numbers with standard deviation `size`, whatever the basis: rough fields
//   ones     every entry is `size`: one field
//
// The warps keep the ends of [0, 1] in place (zero boundary) and run for time 1.
//
//   * the same setting gives the same fields and points on every machine; fields of another size are multiples
//     of each other
//   * std::invalid_argument for no fields, no points, fewer than two cells, a size that is negative or not finite, a
//     length scale that is not positive, and more than one field of ones
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "diffeo/flow.hpp"
#include "diffeo/warp_space.hpp"

namespace diffeo {

enum class FieldSource { prior, normal, ones };

/// By the value of FieldSource.
inline constexpr std::array<std::string_view, 3> kFieldSourceNames = {"prior", "normal", "ones"};
[[nodiscard]] constexpr std::string_view field_source_name(FieldSource source) noexcept {
  return kFieldSourceNames[static_cast<std::size_t>(source)];
}
/// The source of that name; std::invalid_argument lists the names there are.
[[nodiscard]] FieldSource field_source_from_name(std::string_view name);

enum class PointLayout {
  random,         ///< uniform in [0, 1), for every field anew
  equally_spaced  ///< from 0 to 1, the same for all fields
};

struct StudySetting {
  FieldSource source = FieldSource::prior;
  std::size_t fields = 100;
  std::size_t points = 1000;  ///< of each field
  PointLayout layout = PointLayout::random;
  std::size_t cells = 5;
  Basis basis = Basis::svd;
  double size = 1.0;
  double length_scale = 0.1;  ///< of the prior
  std::uint64_t seed = 0;
};

struct StudyFields {
  WarpSpace space;
  std::size_t count = 0;
  std::size_t points_each = 0;
  std::vector<double> velocities;  ///< (count, cells + 1)
  std::vector<double> points;      ///< (count, points_each)
  double time = 1.0;

  [[nodiscard]] FlowProblem<double> problem() const noexcept {
    return {
        {velocities.data(), count, space.tessellation().vertices()}, {points.data(), count, points_each}, {&time, 1}};
  }
};

[[nodiscard]] StudyFields study_fields(const StudySetting& setting);

}  // namespace diffeo
