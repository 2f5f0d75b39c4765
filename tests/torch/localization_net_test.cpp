#include "diffeo/torch/localization_net.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>

namespace diffeo {
namespace localization_net_test {

/// Weights of the last layer have a standard deviation of 1e-3: far below a sample's width in any series here.
constexpr double kNearIdentity = 0.05;

LocalizationOptions options_of(LocalizationKind kind) {
  LocalizationOptions options;
  options.kind = kind;
  if (kind == LocalizationKind::recurrent) options.widths = {8};
  if (kind == LocalizationKind::inception) options.widths = {4, 4};
  return options;
}

class LocalizationNets : public ::testing::TestWithParam<LocalizationKind> {};

TEST_P(LocalizationNets, TakeAnyNumberOfChannelsAndAnyLength) {
  for (const std::int64_t channels : {1, 3}) {
    for (const std::int64_t length : {8, 9, 17, 150, 3000}) {
      const auto net = make_localization_net(options_of(GetParam()), channels, length, 15);
      const at::Tensor theta = net->forward(at::randn({2, channels, length}));
      EXPECT_EQ(theta.sizes(), (std::vector<std::int64_t>{2, 15})) << channels << " x " << length;
    }
  }
}

TEST_P(LocalizationNets, HaveDefaultWidths) {
  LocalizationOptions options;
  options.kind = GetParam();
  EXPECT_EQ(make_localization_net(options, 1, 32, 7)->forward(at::zeros({2, 1, 32})).sizes(), at::IntArrayRef({2, 7}));
}

TEST_P(LocalizationNets, TakeVeryLongSeries) {
  LocalizationOptions options = options_of(GetParam());
  for (std::int64_t& width : options.widths) width = 2;
  const auto net = make_localization_net(options, 1, 100'000, 7);
  EXPECT_TRUE(net->forward(at::randn({2, 1, 100'000})).isfinite().all().item<bool>());
}

TEST_P(LocalizationNets, StartNearTheIdentityButNotOnASaddle) {
  torch::manual_seed(3);
  const auto net = make_localization_net(options_of(GetParam()), 1, 100, 15);
  const at::Tensor theta = net->forward(at::randn({16, 1, 100}));
  EXPECT_LT(theta.abs().max().item<double>(), kNearIdentity);
  theta.sum().backward();
  for (const auto& parameter : net->named_parameters()) {
    ASSERT_TRUE(parameter.value().grad().defined()) << parameter.key();
  }
  EXPECT_GT(net->named_parameters()["head.hidden.weight"].grad().abs().max().item<double>(), 0.0);
}

TEST_P(LocalizationNets, HaveAWarpForEveryClassAndTakeThatOfTheClassRecognized) {
  torch::manual_seed(4);
  LocalizationOptions options = options_of(GetParam());
  options.classes = 3;
  const auto net = make_localization_net(options, 1, 60, 5);
  net->eval();
  const at::Tensor series = at::randn({6, 1, 60});
  const Localized recognized = net->localize(series, std::nullopt);
  ASSERT_EQ(recognized.theta.sizes(), (std::vector<std::int64_t>{6, 5}));
  ASSERT_EQ(recognized.evidence.sizes(), (std::vector<std::int64_t>{6, 3}));
  std::vector<at::Tensor> told;
  for (std::int64_t label = 0; label < 3; ++label) {
    const Localized localized = net->localize(series, at::full({6}, label, at::kLong));
    EXPECT_TRUE(at::equal(localized.evidence, recognized.evidence));
    told.push_back(localized.theta);
  }
  EXPECT_FALSE(at::equal(told[0], told[1]));
  for (std::int64_t item = 0; item < 6; ++item) {
    const auto best = static_cast<std::size_t>(recognized.evidence[item].argmax().item<std::int64_t>());
    EXPECT_TRUE(at::equal(recognized.theta[item], told[best][item]));
  }
}

TEST_P(LocalizationNets, LearnToRecognizeFromTheEvidenceAlone) {
  LocalizationOptions options = options_of(GetParam());
  options.classes = 2;
  const auto net = make_localization_net(options, 1, 60, 5);
  const Localized localized = net->localize(at::randn({4, 1, 60}), at::zeros({4}, at::kLong));
  localized.theta.sum().backward({}, true);
  EXPECT_FALSE(net->named_parameters()["head.recognition.weight"].grad().defined());
  localized.evidence.square().sum().backward();
  EXPECT_TRUE(net->named_parameters()["head.recognition.weight"].grad().defined());
}

TEST_P(LocalizationNets, WithOneClassHaveNothingToRecognize) {
  const auto net = make_localization_net(options_of(GetParam()), 1, 60, 5);
  EXPECT_FALSE(net->localize(at::randn({4, 1, 60}), at::zeros({4}, at::kLong)).evidence.defined());
  LocalizationOptions none = options_of(GetParam());
  none.classes = 0;
  EXPECT_THROW((void)make_localization_net(none, 1, 60, 5), c10::Error);
}

TEST_P(LocalizationNets, TreatSeriesOneByOneWhenTheyDoNotTrain) {
  const auto net = make_localization_net(options_of(GetParam()), 2, 60, 5);
  net->eval();
  const at::Tensor series = at::randn({4, 2, 60});
  const at::Tensor alone = net->forward(series.slice(0, 1, 2));
  EXPECT_TRUE(at::allclose(net->forward(series).slice(0, 1, 2), alone, 1e-5, 1e-7));
}

TEST_P(LocalizationNets, AreTheSameForTheSameSeed) {
  torch::manual_seed(9);
  const auto first = make_localization_net(options_of(GetParam()), 1, 50, 5);
  torch::manual_seed(9);
  const auto second = make_localization_net(options_of(GetParam()), 1, 50, 5);
  const at::Tensor series = at::randn({3, 1, 50});
  EXPECT_TRUE(at::equal(first->forward(series), second->forward(series)));
}

TEST_P(LocalizationNets, RefuseSeriesOfAnotherShape) {
  const auto net = make_localization_net(options_of(GetParam()), 1, 50, 5);
  EXPECT_THROW((void)net->forward(at::randn({3, 1, 51})), c10::Error);
  EXPECT_THROW((void)net->forward(at::randn({3, 2, 50})), c10::Error);
  EXPECT_THROW((void)make_localization_net(options_of(GetParam()), 1, 7, 5), c10::Error);
}

INSTANTIATE_TEST_SUITE_P(Kinds, LocalizationNets,
                         ::testing::Values(LocalizationKind::conv, LocalizationKind::recurrent,
                                           LocalizationKind::inception, LocalizationKind::residual),
                         [](const auto& kind) { return std::string(localization_name(kind.param)); });

TEST(Localization, KnowsKindsByTheirNames) {
  for (const LocalizationKind kind :
       {LocalizationKind::conv, LocalizationKind::recurrent, LocalizationKind::inception, LocalizationKind::residual}) {
    EXPECT_EQ(localization_from_name(localization_name(kind)), kind);
  }
  EXPECT_THROW((void)localization_from_name("convolution"), std::invalid_argument);
}

LocalizationOptions two_residual_blocks(std::int64_t first, std::int64_t second) {
  LocalizationOptions options = options_of(LocalizationKind::residual);
  options.widths = {first, second};
  options.kernels = {5, 3};
  return options;
}

TEST(ResidualNet, HasAConvolutionForAShortcutOnlyWhereWidthsDiffer) {
  const auto net = make_localization_net(two_residual_blocks(4, 4), 1, 50, 5);
  const auto parameters = net->named_parameters();
  EXPECT_NE(parameters.find("block0.shortcut.0.weight"), nullptr);
  EXPECT_EQ(parameters.find("block1.shortcut.0.weight"), nullptr);
}

TEST(ResidualNet, PassesOnWhatABlockWasGivenWhereTheBlockAddsNothing) {
  torch::manual_seed(5);
  LocalizationOptions options = two_residual_blocks(2, 2);
  options.positions = 6;
  const auto net = make_localization_net(options, 2, 13, 5);  // too short to pool: 6 < 8
  auto parameters = net->named_parameters();
  const torch::NoGradGuard guard;
  for (const char* scale : {"block0.second_norm.weight", "block1.second_norm.weight"}) parameters[scale].zero_();
  net->eval();
  const at::Tensor series = at::rand({3, 2, 13});
  const at::Tensor features = at::adaptive_avg_pool1d(series, 6).flatten(1);
  const at::Tensor hidden = at::linear(features, parameters["head.hidden.weight"], parameters["head.hidden.bias"]);
  const at::Tensor theta =
      at::linear(hidden.relu(), parameters["head.outputs.weight"], parameters["head.outputs.bias"]).tanh();
  EXPECT_TRUE(at::equal(net->forward(series), theta));
}

TEST(ResidualNet, AveragesOverAllTimeWithOnePosition) {
  LocalizationOptions options = two_residual_blocks(4, 6);
  options.positions = 1;
  const auto net = make_localization_net(options, 1, 200, 5);
  EXPECT_EQ(net->named_parameters()["head.hidden.weight"].size(1), 6);
}

at::Generator seeded(std::uint64_t seed) { return at::make_generator<at::CPUGeneratorImpl>(seed); }

at::Tensor default_state() { return at::detail::getDefaultCPUGenerator().get_state(); }

TEST_P(LocalizationNets, DropOutByTheGeneratorGivenAlone) {
  LocalizationOptions options = options_of(GetParam());
  options.dropout = 0.5;
  const auto net = make_localization_net(options, 1, 50, 5);
  const at::Tensor series = at::randn({3, 1, 50});
  const at::Tensor state = default_state();
  const auto outputs = [&](std::uint64_t seed) {
    net->set_generator(seeded(seed));
    return net->forward(series);
  };
  const at::Tensor first = outputs(1);
  EXPECT_TRUE(at::equal(outputs(1), first));
  EXPECT_FALSE(at::equal(outputs(2), first));
  EXPECT_TRUE(at::equal(default_state(), state));
  net->set_generator(std::nullopt);
  (void)net->forward(series);
  EXPECT_FALSE(at::equal(default_state(), state));
}

TEST_P(LocalizationNets, DropNothingOutWhenTheyDoNotTrain) {
  LocalizationOptions options = options_of(GetParam());
  options.dropout = 0.9;
  const auto net = make_localization_net(options, 1, 50, 5);
  net->eval();
  const at::Tensor series = at::randn({3, 1, 50});
  EXPECT_TRUE(at::equal(net->forward(series), net->forward(series)));
}

TEST_P(LocalizationNets, StartFromTheGeneratorGivenAlone) {
  for (const Initialization scheme : {Initialization::torch, Initialization::xavier_normal}) {
    const auto first = make_localization_net(options_of(GetParam()), 1, 50, 5);
    const auto second = make_localization_net(options_of(GetParam()), 1, 50, 5);
    const at::Tensor state = default_state();
    initialize(*first, scheme, seeded(4));
    initialize(*second, scheme, seeded(4));
    EXPECT_TRUE(at::equal(default_state(), state));
    const auto others = second->named_parameters();
    for (const auto& parameter : first->named_parameters()) {
      EXPECT_TRUE(at::equal(parameter.value(), others[parameter.key()])) << parameter.key();
    }
    initialize(*second, scheme, seeded(5));
    EXPECT_FALSE(at::equal(first->named_parameters()["head.hidden.weight"], others["head.hidden.weight"]));
    EXPECT_LT(first->named_parameters()["head.outputs.weight"].abs().max().item<double>(), kNearIdentity);
    EXPECT_TRUE(others["head.hidden.weight"].requires_grad());
  }
}

/// Standard deviations of uniform numbers within the same bounds, of some hundreds or thousands of weights.
TEST_P(LocalizationNets, StartAsTorchsOwnConstructorsDo) {
  constexpr double kSpread = 0.3;  // of the ratio of estimates from 100 numbers or more: three times 1 / sqrt(100)
  torch::manual_seed(3);
  const auto own = make_localization_net(options_of(GetParam()), 2, 50, 5);
  const auto drawn = make_localization_net(options_of(GetParam()), 2, 50, 5);
  initialize(*drawn, Initialization::torch, seeded(4));
  const auto parameters = own->named_parameters();
  for (const auto& parameter : drawn->named_parameters()) {
    const at::Tensor& expected = parameters[parameter.key()];
    if (expected.numel() < 100) continue;
    EXPECT_NEAR((parameter.value().std() / expected.std()).item<double>(), 1.0, kSpread) << parameter.key();
    EXPECT_LT(parameter.value().abs().max().item<double>(), 1.5 * expected.abs().max().item<double>());
  }
}

TEST(Localization, StartsByXavierWhereAsked) {
  LocalizationOptions options;
  options.widths = {64, 64, 64};
  const auto net = make_localization_net(options, 1, 50, 5);
  initialize(*net, Initialization::xavier_normal, seeded(4));
  const auto parameters = net->named_parameters();
  // A convolution of 5 steps, 64 to 64 channels: 20,480 weights.
  EXPECT_NEAR(parameters["block1.convolution.weight"].std().item<double>(), std::sqrt(2.0 / (64 * 5 + 64 * 5)), 1e-3);
  EXPECT_EQ(parameters["head.hidden.bias"].abs().max().item<double>(), 0.0);
  EXPECT_EQ(parameters["block1.norm.weight"].min().item<double>(), 1.0);  // of batch normalization
}

TEST(Localization, KnowsInitializationsByTheirNames) {
  EXPECT_EQ(initialization_from_name("torch"), Initialization::torch);
  EXPECT_EQ(initialization_from_name("xavier-normal"), Initialization::xavier_normal);
  EXPECT_THROW((void)initialization_from_name("xavier"), std::invalid_argument);
}

TEST(Localization, RefusesOptionsOutOfRange) {
  const auto with = [](auto change) {
    LocalizationOptions options;
    change(options);
    return make_localization_net(options, 1, 50, 5);
  };
  EXPECT_THROW((void)with([](auto& o) { o.kernels = {7, 5}; }), c10::Error);
  EXPECT_THROW((void)with([](auto& o) { o.kernels = {7, 5, 4}; }), c10::Error);
  EXPECT_THROW((void)with([](auto& o) {
                 o.kind = LocalizationKind::residual;
                 o.kernels = {7, 5};
               }),
               c10::Error);
  EXPECT_THROW((void)with([](auto& o) { o.widths = {}; }), c10::Error);
  EXPECT_THROW((void)with([](auto& o) { o.dropout = 1.0; }), c10::Error);
  EXPECT_THROW((void)with([](auto& o) { o.hidden = 0; }), c10::Error);
}

}  // namespace localization_net_test
}  // namespace diffeo
