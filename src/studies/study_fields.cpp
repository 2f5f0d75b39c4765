#include "diffeo/studies/study_fields.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "diffeo/error.hpp"
#include "diffeo/matrix.hpp"
#include "diffeo/prior.hpp"
#include "diffeo/random.hpp"

namespace diffeo {
namespace {

// Fields and points have generators of their own: more fields leave the points of the first as they were.
constexpr std::uint64_t kSeedOfPoints = 0x9e3779b97f4a7c15;

void require_setting(const StudySetting& setting) {
  require(setting.fields >= 1, "fields: expected at least one, got 0");
  require(setting.points >= 1, "points: expected at least one, got 0");
  require(setting.cells >= 2, "cells: expected at least 2, got ", setting.cells);
  require(std::isfinite(setting.size) && setting.size >= 0, "size: expected 0 or more, got ", setting.size);
  require(std::isfinite(setting.length_scale) && setting.length_scale > 0, "length_scale: expected more than 0, got ",
          setting.length_scale);
  require(setting.source != FieldSource::ones || setting.fields == 1, "fields: expected 1 of ones, got ",
          setting.fields);
}

/// Of size 1: (fields, d).
Matrix unit_theta(const StudySetting& setting, const WarpSpace& space) {
  if (setting.source == FieldSource::prior) {
    return Prior(space, 1.0, setting.length_scale).sample(setting.fields, setting.seed);
  }
  Matrix theta(setting.fields, space.dimension());
  Random random(setting.seed);
  for (double& value : theta.values()) value = setting.source == FieldSource::ones ? 1.0 : random.normal();
  return theta;
}

std::vector<double> vertex_velocities(const StudySetting& setting, const WarpSpace& space) {
  Matrix theta = unit_theta(setting, space);
  for (double& value : theta.values()) value *= setting.size;
  const std::size_t vertices = space.tessellation().vertices();
  std::vector<double> velocities(setting.fields * vertices);
  space.velocities(Rows<const double>(theta.values().data(), theta.rows(), theta.columns()),
                   Rows<double>(velocities.data(), setting.fields, vertices));
  return velocities;
}

std::vector<double> study_points(const StudySetting& setting) {
  std::vector<double> points(setting.fields * setting.points);
  if (setting.layout == PointLayout::random) {
    Random random(setting.seed ^ kSeedOfPoints);
    std::ranges::generate(points, [&] { return random.uniform(); });
    return points;
  }
  const double last = static_cast<double>(std::max<std::size_t>(setting.points - 1, 1));
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = static_cast<double>(i % setting.points) / last;
  return points;
}

}  // namespace

FieldSource field_source_from_name(std::string_view name) {
  const auto found = std::ranges::find(kFieldSourceNames, name);
  require(found != kFieldSourceNames.end(), "source: expected prior, normal or ones, got ", name);
  return static_cast<FieldSource>(found - kFieldSourceNames.begin());
}

StudyFields study_fields(const StudySetting& setting) {
  require_setting(setting);
  const WarpSpace space(setting.cells, true, setting.basis);
  return {space, setting.fields, setting.points, vertex_velocities(setting, space), study_points(setting)};
}

}  // namespace diffeo
