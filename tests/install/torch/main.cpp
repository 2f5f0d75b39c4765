// First, in this order, so that nothing before them brings what they use.
// clang-format off
#include <diffeo/torch/localization_net.hpp>
#include <diffeo/torch/temporal_transformer.hpp>
#include <diffeo/torch/losses.hpp>
// clang-format on

#include <ATen/Functions.h>

#include <cstdio>
#include <diffeo/flow.hpp>
#include <diffeo/generate.hpp>
#include <diffeo/torch/operators.hpp>
#include <diffeo/torch/temporal_aligner.hpp>
#include <vector>

namespace {

bool operators_move_points_as_the_core_does() {
  const std::vector<double> velocities = {0.0, 0.3, 0.0};
  const at::Tensor moved =
      diffeo::flow(at::tensor(velocities).unsqueeze(0), at::tensor({0.5}, at::kDouble), at::tensor(1.0, at::kDouble));
  return moved.item<double>() == diffeo::flow(velocities, std::vector<double>{0.5})[0];
}

bool an_aligner_learns() {
  const diffeo::Bumps bumps = diffeo::generate_bumps(12, 8);
  diffeo::TrainingOptions options;
  options.epochs = 1;
  options.least_steps = 1;
  diffeo::TemporalAligner aligner(options, 1);
  aligner.fit(bumps.dataset);
  return aligner.transform(bumps.dataset).cases() == 12;
}

bool a_transformer_warps() {
  diffeo::TemporalTransformer transformer(1, 32);
  return transformer.forward(at::zeros({2, 1, 32})).aligned.sizes() == at::IntArrayRef({2, 1, 32});
}

}  // namespace

int main() {
  const bool right[] = {operators_move_points_as_the_core_does(), an_aligner_learns(), a_transformer_warps()};
  std::printf("operators %d, aligner %d, transformer %d\n", right[0], right[1], right[2]);
  return right[0] && right[1] && right[2] ? 0 : 1;
}
