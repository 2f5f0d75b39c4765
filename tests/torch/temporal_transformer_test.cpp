#include "diffeo/torch/temporal_transformer.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <limits>
#include <vector>

#include "diffeo/torch/operators.hpp"

namespace diffeo {
namespace temporal_transformer_test {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kLength = 60;

TransformerOptions small(std::int64_t layers = 1, Composition composition = Composition::compose) {
  TransformerOptions options;
  options.localization.widths = {4, 4, 4};
  options.cells = 8;
  options.layers = layers;
  options.composition = composition;
  options.velocity_scale = 3.0;
  return options;
}

/// In double precision, with last layers far enough from zero for the warps to be seen.
std::shared_ptr<TemporalTransformer> warping(const TransformerOptions& options, std::int64_t channels = 1) {
  torch::manual_seed(7);
  auto transformer = std::make_shared<TemporalTransformer>(channels, kLength, options);
  const torch::NoGradGuard no_gradients;
  for (auto& parameter : transformer->named_parameters()) {
    if (parameter.key().ends_with("head.outputs.weight")) parameter.value().mul_(300.0);
  }
  transformer->to(at::kDouble);
  transformer->eval();
  return transformer;
}

at::Tensor waves(std::int64_t cases = 3, std::int64_t channels = 1, std::int64_t steps = kLength) {
  const at::Tensor time = at::linspace(0.0, 9.0, steps, at::kDouble);
  const at::Tensor phase = at::arange(cases * channels, at::kDouble).view({cases, channels, 1});
  return at::sin(time + phase);
}

TEST(TemporalTransformer, StartsNearTheIdentity) {
  const auto transformer = std::make_shared<TemporalTransformer>(1, kLength, small(3));
  const at::Tensor series = waves().to(at::kFloat);
  const Transformed result = transformer->forward(series);
  EXPECT_TRUE(at::allclose(result.aligned, series, 0.05, 0.05));
  EXPECT_EQ(result.velocities.size(), 3u);
}

TEST(TemporalTransformer, ReadsSeriesAlongTheComposedWarps) {
  const auto transformer = warping(small(2));
  const Transformed result = transformer->forward(waves());
  const at::Tensor one = at::ones({}, at::kDouble);
  const at::Tensor grid = at::linspace(0.0, 1.0, kLength, at::kDouble);
  const at::Tensor expected = flow(result.velocities[0], flow(result.velocities[1], grid, one), one);
  EXPECT_TRUE(at::equal(transformer->positions(result.velocities, grid), expected));
  EXPECT_TRUE(at::equal(result.aligned, sample(waves(), expected)));
  EXPECT_GT((expected - grid).abs().max().item<double>(), 0.01);
}

TEST(TemporalTransformer, ReadsSeriesAlongOneWarpInOnePass) {
  const auto transformer = warping(small());
  const Transformed result = transformer->forward(waves());
  const at::Tensor positions = transformer->positions(result.velocities, transformer->grid(kLength));
  EXPECT_TRUE(at::allclose(result.aligned, sample(waves(), positions), 1e-12, 1e-12));
  EXPECT_EQ(result.aligned.grad_fn()->name(), warp(waves(), result.velocities[0], at::ones({}), 5).grad_fn()->name());
}

TEST(TemporalTransformer, AppliesVelocitiesAsItsNetworksDo) {
  for (const Composition composition : {Composition::compose, Composition::resample}) {
    for (const FlowMethod method : {FlowMethod::exact, FlowMethod::scaling_squaring}) {
      TransformerOptions options = small(2, composition);
      options.method = method;
      options.horizon = 0.7;
      const auto transformer = warping(options);
      const at::Tensor padded = at::cat({waves(), at::full({3, 1, 9}, kMissing, at::kDouble)}, 2);
      for (const at::Tensor& series : {waves(), padded}) {
        const Transformed result = transformer->forward(series, 0.8);
        EXPECT_TRUE(at::equal(transformer->apply(series, result.velocities, 0.8), result.aligned));
      }
    }
  }
}

TEST(TemporalTransformer, StretchesEveryFlowByTheHorizon) {
  TransformerOptions options = small(2);
  const auto usual = warping(options);
  options.horizon = 0.5;
  const auto half = warping(options);
  const std::vector<at::Tensor> velocities = usual->forward(waves()).velocities;
  EXPECT_TRUE(at::equal(half->apply(waves(), velocities), usual->apply(waves(), velocities, 0.5)));
  EXPECT_TRUE(
      at::equal(half->inverse(waves(), velocities, kLength), usual->inverse(waves(), velocities, kLength, 0.5)));
}

TEST(TemporalTransformer, IntegratesByTheMethodAskedFor) {
  constexpr double kFarFromExact = 0.05;  // of waves of unit height: a few steps, few points
  const at::Tensor exact = warping(small())->forward(waves()).aligned;
  for (const FlowMethod method : {FlowMethod::numeric, FlowMethod::scaling_squaring}) {
    TransformerOptions options = small();
    options.method = method;
    options.method_steps = 4;
    const at::Tensor aligned = warping(options)->forward(waves()).aligned;
    EXPECT_TRUE(at::allclose(aligned, exact, kFarFromExact, kFarFromExact)) << flow_method_name(method);
    EXPECT_FALSE(at::equal(aligned, exact)) << flow_method_name(method);
  }
}

TEST(TemporalTransformer, ComposesAndResamplesAlikeInOneLayer) {
  const at::Tensor composed = warping(small(1, Composition::compose))->forward(waves()).aligned;
  const at::Tensor resampled = warping(small(1, Composition::resample))->forward(waves()).aligned;
  EXPECT_TRUE(at::allclose(composed, resampled, 1e-12, 1e-12));
  const at::Tensor twice = warping(small(2, Composition::resample))->forward(waves()).aligned;
  const at::Tensor once = warping(small(2, Composition::compose))->forward(waves()).aligned;
  EXPECT_TRUE(at::allclose(twice, once, 0.05, 0.05));  // interpolation, once and twice
  EXPECT_FALSE(at::equal(twice, once));
}

TEST(TemporalTransformer, BringsAlignedSeriesBack) {
  const auto transformer = warping(small(3));
  const Transformed result = transformer->forward(waves());
  const at::Tensor back = transformer->inverse(result.aligned, result.velocities, kLength);
  EXPECT_LT((back - waves()).abs().max().item<double>(), 0.05);  // interpolation, twice
  EXPECT_GT((result.aligned - waves()).abs().max().item<double>(), 0.05);
}

TEST(TemporalTransformer, InvertsPositionsExactly) {
  const auto transformer = warping(small(3));
  const std::vector<at::Tensor> velocities = transformer->forward(waves()).velocities;
  const at::Tensor points = at::rand({3, 20}, at::kDouble);
  const at::Tensor there = transformer->positions(velocities, points, 0.6);
  EXPECT_TRUE(at::allclose(transformer->inverse_positions(velocities, there, 0.6), points, 1e-10, 1e-10));
  EXPECT_THROW((void)transformer->positions({velocities[0]}, points, 1.0), c10::Error);
}

TEST(TemporalTransformer, BringsSeriesBackToTheirOwnDurations) {
  constexpr std::int64_t kPadding = 17;
  const auto transformer = warping(small(2));
  const at::Tensor series = waves();
  const Transformed result = transformer->forward(series);
  const at::Tensor lengths = at::tensor({kLength, kLength + kPadding, std::int64_t{1}});
  const at::Tensor back = transformer->inverse(result.aligned, result.velocities, kLength + kPadding, 1.0, lengths);
  const at::Tensor whole = transformer->inverse(result.aligned, result.velocities, kLength);
  const at::Tensor longer = transformer->inverse(result.aligned, result.velocities, kLength + kPadding);
  EXPECT_TRUE(at::allclose(back[0].slice(1, 0, kLength), whole[0], 1e-10, 1e-10));
  EXPECT_TRUE(back[0].slice(1, kLength).isnan().all().item<bool>());
  EXPECT_TRUE(at::allclose(back[1], longer[1], 1e-10, 1e-10));
  EXPECT_EQ(back[2][0][0].item<double>(), whole[2][0][0].item<double>());
  EXPECT_TRUE(back[2].slice(1, 1).isnan().all().item<bool>());
  EXPECT_THROW((void)transformer->inverse(result.aligned, result.velocities, kLength, 1.0, lengths.slice(0, 1)),
               c10::Error);
}

TEST(TemporalTransformer, DoesNotDependOnPadding) {
  for (const Composition composition : {Composition::compose, Composition::resample}) {
    const auto transformer = warping(small(2, composition), 2);
    const at::Tensor series = waves(3, 2);
    const at::Tensor padded = at::cat({series, at::full({3, 2, 17}, kMissing, at::kDouble)}, 2);
    EXPECT_TRUE(at::allclose(transformer->forward(padded).aligned, transformer->forward(series).aligned, 1e-10, 1e-10));
  }
}

TEST(TemporalTransformer, TakesSeriesOfAnyLengthToItsOwn) {
  const auto transformer = warping(small());
  EXPECT_EQ(transformer->forward(waves(2, 1, 200)).aligned.size(2), kLength);
}

TEST(TemporalTransformer, KeepsMissingValuesMissingAndGradientsFinite) {
  const auto transformer = warping(small(2));
  at::Tensor series = waves();
  series[0][0][30] = kMissing;
  const Transformed result = transformer->forward(series);
  EXPECT_TRUE(result.aligned[0].isnan().any().item<bool>());
  EXPECT_FALSE(result.aligned[1].isnan().any().item<bool>());
  result.aligned.nansum().backward();
  for (const auto& parameter : transformer->named_parameters()) {
    EXPECT_TRUE(parameter.value().grad().isfinite().all().item<bool>()) << parameter.key();
  }
}

TEST(TemporalTransformer, DoesNothingInNoTime) {
  const auto transformer = warping(small(2));
  EXPECT_TRUE(at::equal(transformer->forward(waves(), 0.0).aligned, waves()));
}

TEST(TemporalTransformer, SharesOneNetworkBetweenLayersWhereAsked) {
  TransformerOptions options = small(4);
  const auto separate = std::make_shared<TemporalTransformer>(1, kLength, options);
  options.shared_layers = true;
  const auto shared = std::make_shared<TemporalTransformer>(1, kLength, options);
  EXPECT_EQ(4 * shared->parameters().size(), separate->parameters().size());
  EXPECT_EQ(shared->forward(waves().to(at::kFloat)).velocities.size(), 4u);
}

TEST(TemporalTransformer, IsTheSameForTheSameSeedWhateverTorchsOwnGeneratorDoes) {
  TransformerOptions options = small(2);
  options.localization.dropout = 0.4;
  const at::Tensor series = waves().to(at::kFloat);
  const auto outputs = [&] {
    const auto transformer = std::make_shared<TemporalTransformer>(1, kLength, options);
    const at::Tensor state = at::detail::getDefaultCPUGenerator().get_state();
    const at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(6);
    initialize(*transformer, Initialization::torch, generator);
    transformer->set_generator(generator);
    const at::Tensor theta = transformer->forward(series).thetas.back();
    EXPECT_TRUE(at::equal(at::detail::getDefaultCPUGenerator().get_state(), state));
    return theta;
  };
  EXPECT_TRUE(at::equal(outputs(), outputs()));
}

TEST(TemporalTransformer, RefusesOptionsOutOfRange) {
  const auto with = [](auto change) {
    TransformerOptions options = small();
    change(options);
    return std::make_shared<TemporalTransformer>(1, kLength, options);
  };
  EXPECT_THROW((void)with([](auto& o) { o.layers = 0; }), c10::Error);
  EXPECT_THROW((void)with([](auto& o) { o.cells = 1; }), c10::Error);
  EXPECT_THROW((void)with([](auto& o) { o.velocity_scale = 0.0; }), c10::Error);
  EXPECT_THROW((void)with([](auto& o) { o.horizon = -1.0; }), c10::Error);
  EXPECT_THROW((void)with([](auto& o) {
                 o.method = FlowMethod::numeric;
                 o.method_steps = 0;
               }),
               c10::Error);
}

}  // namespace temporal_transformer_test
}  // namespace diffeo
