#include "align/mixed_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

#include "align/root_slopes.hpp"
#include "align/solver.hpp"
#include "diffeo/generate.hpp"

namespace diffeo {
namespace mixed_model_test {

constexpr std::size_t kCases = 8;

struct Scene {
  Bumps bumps = generate_bumps(kCases, 1, {.classes = 1});
  std::vector<SeriesView<const double>> views;
  AlignOptions options;
  double scale = 0.0;
  MixedParameters initial;
  std::vector<AlignStep> history;

  Scene() {
    for (std::size_t item = 0; item < kCases; ++item) views.push_back(bumps.dataset.series(item));
    scale = variance_over_time(views);
    initial = initial_parameters(noise_variance(views), scale, options, bumps.dataset.longest());
  }

  [[nodiscard]] MixedSeries series() const { return {views, nullptr, bumps.dataset.longest()}; }
  [[nodiscard]] Matrix at_rest() const { return {kCases, options.cells + 1}; }

  MixedFit fit(const MixedEffort& effort) {
    return fit_mixed(series(), at_rest(), initial, scale, effort, options, history);
  }
};

TEST(EstimatedParameters, FindLittleHeightAlongTheTrueWarps) {
  Scene scene;
  const MixedSeries series = scene.series();
  const auto height = [](const MixedParameters& parameters) { return parameters.height_ratio * parameters.noise; };
  const MixedParameters aligned = estimated_parameters(
      series, solve_group(scene.views, nullptr, scene.bumps.dataset.longest(), scene.options).velocities, scene.initial,
      scene.scale, scene.options);
  const MixedParameters at_rest =
      estimated_parameters(series, scene.at_rest(), scene.initial, scene.scale, scene.options);
  EXPECT_LT(height(aligned), 0.01);
  EXPECT_GT(height(at_rest), 10.0 * height(aligned));
}

TEST(EstimatedParameters, FindTheGainsOfSeriesThatAreTallerAsAWhole) {
  Scene scene;
  std::vector<std::vector<double>> taller;
  for (std::size_t item = 0; item < kCases; ++item) {
    const std::span<const double> values = scene.views[item].values();
    taller.emplace_back(values.begin(), values.end());
    const double gain = item % 2 == 0 ? 0.8 : 1.2;
    for (double& value : taller.back()) value *= gain;
    scene.views[item] = {taller.back().data(), 1, taller.back().size()};
  }
  const GroupSolution found = solve_group(scene.views, nullptr, scene.bumps.dataset.longest(), scene.options);
  const double deviation = std::sqrt(found.model.gain_ratio * found.model.noise * scene.scale);
  EXPECT_GT(deviation, 0.1);
  EXPECT_LT(deviation, 0.4);
  EXPECT_LT(found.model.height_ratio * found.model.noise, 0.02) << "gains explain what varies";
}

TEST(FitMixed, IsGivenUpWhereItLeadsToTheWarpsOfARival) {
  Scene scene;
  const MixedFit rival = scene.fit({.screening = true});
  EXPECT_FALSE(rival.is_pointless);
  EXPECT_TRUE(scene.fit({.screening = true, .rival = &rival}).is_pointless);
}

TEST(FitMixed, IsGivenUpWhereItIsHopelessBesideARival) {
  Scene scene;
  MixedFit rival;
  rival.state.velocities = scene.at_rest();
  for (double& velocity : rival.state.velocities.values()) velocity = 1.0;  // nothing like the warps that are found
  rival.log_likelihood = 1e9;
  EXPECT_TRUE(scene.fit({.screening = true, .rival = &rival}).is_pointless);
  rival.log_likelihood = 0.0;
  EXPECT_FALSE(scene.fit({.screening = true, .rival = &rival}).is_pointless);
}

}  // namespace mixed_model_test
}  // namespace diffeo
