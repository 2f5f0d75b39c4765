#include "interruptible_layers.hpp"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <stdexcept>
#include <string>
#include <thread>

#include "callers_stop.hpp"
#include "diffeo/torch/localization_net.hpp"

namespace diffeo {
namespace interruptible_layers_test {

/// States of size 1 after 200 steps in single precision, summed in another order.
constexpr double kRecurrentTolerance = 1e-5;

struct Enough : std::runtime_error {
  Enough() : std::runtime_error("enough") {}
};

TEST(RecurrentLayer, ComputesWhatTorchsOwnDoes) {
  torch::manual_seed(7);
  RecurrentLayer ours(3, 5);
  torch::nn::GRU theirs(torch::nn::GRUOptions(3, 5).batch_first(true).bidirectional(true));
  const auto weights = ours->named_parameters();
  {
    const torch::NoGradGuard no_gradients;
    for (auto& item : theirs->named_parameters()) item.value().copy_(weights[item.key()]);
  }
  const at::Tensor series = at::randn({4, 200, 3});
  const at::Tensor states = ours->forward(series);
  const at::Tensor expected = std::get<0>(theirs->forward(series));
  EXPECT_TRUE(at::allclose(states, expected, 0.0, kRecurrentTolerance));
  states.square().sum().backward();
  expected.square().sum().backward();
  for (const auto& item : theirs->named_parameters()) {
    const double size = item.value().grad().abs().max().item<double>();
    EXPECT_TRUE(at::allclose(weights[item.key()].grad(), item.value().grad(), 0.0, kRecurrentTolerance * size))
        << item.key();
  }
}

LocalizationOptions small(LocalizationKind kind) {
  LocalizationOptions options;
  options.kind = kind;
  options.widths = {2, 3};
  options.kernels = {5, 3};
  return options;
}

class InterruptibleNets : public ::testing::TestWithParam<LocalizationKind> {};

TEST_P(InterruptibleNets, AskBeforeEveryLayerForwardsAndBackwards) {
  const auto net = make_localization_net(small(GetParam()), 1, 100, 5);
  int asked = 0;
  const InterruptionGuard interruptible([&] { ++asked; });
  const at::Tensor theta = net->forward(at::randn({2, 1, 100}));
  const int forwards = asked;
  EXPECT_GE(forwards, 2) << "one for each block";
  theta.sum().backward();
  EXPECT_EQ(asked, 2 * forwards);
}

TEST_P(InterruptibleNets, EndAPassWhereverTheyAreToldAndAreWholeAfterwards) {
  const auto net = make_localization_net(small(GetParam()), 1, 100, 5);
  net->eval();
  const at::Tensor series = at::randn({2, 1, 100});
  const at::Tensor undisturbed = net->forward(series);
  int asked = 0;
  int most = 0;
  bool is_complete = false;
  for (; !is_complete; ++most) {
    ASSERT_LT(most, 1000);
    asked = 0;
    const InterruptionGuard interruptible([&] {
      if (asked == most) throw Enough();
      ++asked;
    });
    try {
      net->forward(series).sum().backward();
      is_complete = true;
    } catch (const Enough&) {
    }
  }
  EXPECT_GT(most, 4);
  EXPECT_TRUE(at::equal(net->forward(series), undisturbed));
}

INSTANTIATE_TEST_SUITE_P(Kinds, InterruptibleNets,
                         ::testing::Values(LocalizationKind::conv, LocalizationKind::recurrent,
                                           LocalizationKind::inception, LocalizationKind::residual),
                         [](const auto& kind) { return std::string(localization_name(kind.param)); });

TEST(InterruptionGuard, IsInForceOnItsOwnThreadUntilItIsGone) {
  int outer = 0;
  int inner = 0;
  const InterruptionGuard first([&] { ++outer; });
  {
    const InterruptionGuard second([&] { ++inner; });
    ask_for_interruption();
    std::jthread([] { ask_for_interruption(); }).join();
    const InterruptionGuard nobody({});
    ask_for_interruption();
  }
  EXPECT_EQ(inner, 1);
  EXPECT_EQ(outer, 0);
  ask_for_interruption();
  EXPECT_EQ(outer, 1);
}

TEST(CallersStop, AsksOnTheCallersThreadAlone) {
  int asked = 0;
  const CallersStop stop([&] { ++asked; });
  std::jthread([&] { stop(); }).join();
  EXPECT_EQ(asked, 0);
  stop();
  EXPECT_EQ(asked, 1);
}

TEST(CallersStop, TellsEveryThreadWhatTheCallerThrew) {
  const CallersStop stop([] { throw Enough(); });
  EXPECT_THROW(stop(), Enough);
  std::jthread([&] { EXPECT_THROW(stop(), Enough); }).join();
}

}  // namespace interruptible_layers_test
}  // namespace diffeo
