#include "diffeo/torch/localization_net.hpp"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <stdexcept>
#include <string>

namespace diffeo {
namespace {

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
                                           LocalizationKind::inception),
                         [](const auto& kind) { return std::string(localization_name(kind.param)); });

TEST(Localization, KnowsKindsByTheirNames) {
  for (const LocalizationKind kind :
       {LocalizationKind::conv, LocalizationKind::recurrent, LocalizationKind::inception}) {
    EXPECT_EQ(localization_from_name(localization_name(kind)), kind);
  }
  EXPECT_THROW((void)localization_from_name("convolution"), std::invalid_argument);
}

TEST(Localization, RefusesOptionsOutOfRange) {
  const auto with = [](auto change) {
    LocalizationOptions options;
    change(options);
    return make_localization_net(options, 1, 50, 5);
  };
  EXPECT_THROW((void)with([](auto& o) { o.kernels = {7, 5}; }), c10::Error);
  EXPECT_THROW((void)with([](auto& o) { o.kernels = {7, 5, 4}; }), c10::Error);
  EXPECT_THROW((void)with([](auto& o) { o.widths = {}; }), c10::Error);
  EXPECT_THROW((void)with([](auto& o) { o.dropout = 1.0; }), c10::Error);
  EXPECT_THROW((void)with([](auto& o) { o.hidden = 0; }), c10::Error);
}

}  // namespace
}  // namespace diffeo
