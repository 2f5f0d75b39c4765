#include "normalized_pooling.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace diffeo {
namespace normalized_pooling_test {

/// Means of some thousand values of size 1, added up in another order.
double tolerance(at::ScalarType type) { return type == at::kFloat ? 2e-5 : 1e-12; }

/// What normalized_pooling is a faster form of.
at::Tensor by_torch(const at::Tensor& features, torch::nn::BatchNorm1dImpl& norm, bool pools) {
  const at::Tensor normalized = norm.forward(features);
  return (pools ? at::max_pool1d(normalized, 2) : normalized).relu();
}

struct Case {
  std::int64_t cases;
  std::int64_t channels;
  std::int64_t steps;
  bool pools;
  bool trains;
  at::ScalarType type;
};

std::vector<Case> all_cases() {
  std::vector<Case> result;
  for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
    for (const bool trains : {true, false}) {
      for (const bool pools : {true, false}) {
        for (const std::int64_t steps : {8, 9, 33, 150}) result.push_back({5, 3, steps, pools, trains, type});
      }
    }
  }
  return result;
}

/// A module whose weights, signs included, and averages are not those it starts with.
torch::nn::BatchNorm1d used_norm(const Case& shape) {
  torch::nn::BatchNorm1d norm(shape.channels);
  const at::NoGradGuard no_gradients;
  norm->to(shape.type);
  norm->weight.copy_(at::tensor({1.5, -0.7, 0.3}));
  norm->bias.copy_(at::tensor({0.2, 0.1, -0.4}));
  norm->running_mean.copy_(at::tensor({0.5, -0.5, 0.1}));
  norm->running_var.copy_(at::tensor({2.0, 0.5, 1.1}));
  norm->train(shape.trains);
  return norm;
}

/// Everything that comes out, backward included.
std::vector<at::Tensor> results(const Case& shape, bool by_kernels) {
  torch::manual_seed(5);
  torch::nn::BatchNorm1d norm = used_norm(shape);
  const at::Tensor features =
      (2.0 * at::randn({shape.cases, shape.channels, shape.steps}, shape.type) + 0.7).set_requires_grad(true);
  const at::Tensor pooled =
      by_kernels ? normalized_pooling(features, *norm, shape.pools) : by_torch(features, *norm, shape.pools);
  pooled.backward(at::randn(pooled.sizes(), shape.type));
  return {pooled,
          features.grad(),
          norm->weight.grad(),
          norm->bias.grad(),
          norm->running_mean,
          norm->running_var,
          norm->num_batches_tracked};
}

TEST(NormalizedPooling, GivesWhatTorchsModulesGive) {
  for (const Case& shape : all_cases()) {
    const std::vector<at::Tensor> ours = results(shape, true);
    const std::vector<at::Tensor> torchs = results(shape, false);
    for (std::size_t i = 0; i < ours.size(); ++i) {
      const double error = (ours[i] - torchs[i]).abs().max().item<double>();
      EXPECT_LE(error, tolerance(shape.type) * (1.0 + torchs[i].abs().max().item<double>()))
          << "result " << i << ", " << shape.steps << " steps, pools " << shape.pools << ", trains " << shape.trains;
    }
  }
}

TEST(NormalizedPooling, GivesTheSameBitsForAnyNumberOfThreads) {
  const int before = at::get_num_threads();
  const auto with_threads = [](int threads) {
    at::set_num_threads(threads);
    return results({64, 3, 999, true, true, at::kFloat}, true);
  };
  const std::vector<at::Tensor> one = with_threads(1);
  const std::vector<at::Tensor> three = with_threads(3);
  at::set_num_threads(before);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(at::equal(one[i], three[i])) << "result " << i;
}

TEST(NormalizedPooling, TakesFeaturesThatDoNotLieInOrder) {
  torch::nn::BatchNorm1d norm(4);
  norm->eval();
  const at::Tensor turned = at::randn({3, 20, 4}).transpose(1, 2);
  EXPECT_TRUE(at::equal(normalized_pooling(turned, *norm, true), normalized_pooling(turned.contiguous(), *norm, true)));
}

TEST(NormalizedPooling, KeepsWhatIsNoNumber) {
  torch::nn::BatchNorm1d norm(1);
  norm->eval();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const at::Tensor pooled =
      normalized_pooling(at::tensor({nan, 1.0, 1.0, nan, 1.0, 2.0}, at::kFloat).view({1, 1, 6}), *norm, true);
  EXPECT_TRUE(pooled.isnan().slice(2, 0, 2).all().item<bool>());
  EXPECT_FALSE(pooled.isnan()[0][0][2].item<bool>());
}

TEST(RectifiedPooling, GivesWhatTorchGives) {
  torch::manual_seed(6);
  for (const std::int64_t steps : {8, 33}) {
    at::Tensor ours = at::randn({3, 2, steps}, at::kDouble).set_requires_grad(true);
    at::Tensor torchs = ours.detach().clone().set_requires_grad(true);
    const at::Tensor weights = at::randn({3, 2, steps / 2}, at::kDouble);
    const at::Tensor pooled = rectified_pooling(ours);
    const at::Tensor expected = at::max_pool1d(torchs, 2).relu();
    pooled.backward(weights);
    expected.backward(weights);
    EXPECT_TRUE(at::equal(pooled, expected));
    EXPECT_TRUE(at::equal(ours.grad(), torchs.grad()));
  }
}

TEST(NormalizedPooling, OfNoCasesLeavesTheAveragesAsTheyWere) {
  torch::nn::BatchNorm1d norm(2);
  EXPECT_EQ(normalized_pooling(at::randn({0, 2, 10}), *norm, true).sizes(), (std::vector<std::int64_t>{0, 2, 5}));
  EXPECT_TRUE(at::equal(norm->running_mean, at::zeros({2})));
  EXPECT_TRUE(at::equal(norm->running_var, at::ones({2})));
}

TEST(NormalizedPooling, RefusesSecondDerivatives) {
  torch::nn::BatchNorm1d norm(2);
  const at::Tensor features = at::randn({3, 2, 10}).set_requires_grad(true);
  const at::Tensor sum = normalized_pooling(features, *norm, true).square().sum();
  EXPECT_THROW((void)torch::autograd::grad({sum}, {features}, {}, true, true), c10::Error);
}

}  // namespace normalized_pooling_test
}  // namespace diffeo
