#include "diffeo/torch/losses.hpp"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <functional>
#include <limits>

namespace diffeo {
namespace losses_test {

constexpr double kRounding = 1e-12;  // doubles, sums of a few hundred terms
constexpr double kExpected = 0.06;   // of a mean of thousands of random terms, relative
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

at::Tensor random_series(std::int64_t cases, std::int64_t channels, std::int64_t length, std::uint64_t seed) {
  torch::manual_seed(seed);
  return at::randn({cases, channels, length}, at::kDouble);
}

at::Tensor labels(std::initializer_list<std::int64_t> values) { return at::tensor(values, at::kLong); }

TEST(WithinClassVariance, OfEqualSeriesIsZero) {
  const at::Tensor one = random_series(1, 2, 30, 1);
  EXPECT_NEAR(within_class_variance(one.expand({4, 2, 30}), labels({0, 0, 1, 1}), 2).item<double>(), 0.0, kRounding);
}

TEST(WithinClassVariance, IsTheUnbiasedVarianceAveragedOverClasses) {
  const at::Tensor series = random_series(5, 1, 8, 2);
  const at::Tensor of_first = series.slice(0, 0, 2).var(0).mean();
  const at::Tensor of_second = series.slice(0, 2, 5).var(0).mean();
  EXPECT_NEAR(within_class_variance(series, labels({0, 0, 1, 1, 1}), 2).item<double>(),
              0.5 * (of_first + of_second).item<double>(), kRounding);
}

/// What a function of series gives, and its gradient, after a value far away was marked as missing in one more sample
/// that all series get: the general path, which no fused formula takes.
at::Tensor with_a_missing_sample(const at::Tensor& series) {
  return at::cat({series, at::full({series.size(0), series.size(1), 1}, kNan, series.options())}, 2);
}

TEST(FusedLosses, HaveTheValuesAndGradientsOfTheGeneralFormulas) {
  const at::Tensor of_class = labels({0, 0, 2, 2, 2, 1});
  const at::Tensor centroids = random_series(3, 2, 7, 20);
  const auto both = [&](const std::function<at::Tensor(const at::Tensor&, const at::Tensor&)>& loss) {
    at::Tensor fused = random_series(6, 2, 7, 21).set_requires_grad(true);
    at::Tensor general = random_series(6, 2, 7, 21).set_requires_grad(true);
    const at::Tensor fused_loss = loss(fused, centroids);
    const at::Tensor general_loss = loss(with_a_missing_sample(general), with_a_missing_sample(centroids));
    fused_loss.backward();
    general_loss.backward();
    EXPECT_NEAR(fused_loss.item<double>(), general_loss.item<double>(), kRounding);
    EXPECT_LT((fused.grad() - general.grad()).abs().max().item<double>(), kRounding);
  };
  both([&](const at::Tensor& series, const at::Tensor&) { return within_class_variance(series, of_class, 3); });
  const at::Tensor weights = random_series(1, 6, 3, 22)[0];
  both([&](const at::Tensor& series, const at::Tensor& means) {
    return (squared_distances(series, means) * weights).sum();
  });
}

TEST(WithinClassVariance, HasTheSameScaleForAnyLengthBatchAndClassSizes) {
  const auto of_noise = [](std::int64_t cases, std::int64_t length, std::int64_t classes) {
    const at::Tensor series = random_series(cases, 1, length, 3);
    return within_class_variance(series, at::arange(cases).remainder(classes), classes).item<double>();
  };
  EXPECT_NEAR(of_noise(200, 50, 2), 1.0, kExpected);
  EXPECT_NEAR(of_noise(16, 1000, 8), 1.0, kExpected);
  EXPECT_NEAR(of_noise(40, 400, 13), 1.0, kExpected);
}

TEST(WithinClassVariance, LeavesOutClassesOfOneCase) {
  const at::Tensor series = random_series(3, 1, 9, 4);
  EXPECT_NEAR(within_class_variance(series, labels({0, 1, 1}), 2).item<double>(),
              series.slice(0, 1, 3).var(0).mean().item<double>(), kRounding);
  EXPECT_EQ(within_class_variance(series, labels({0, 1, 2}), 3).item<double>(), 0.0);
}

TEST(WithinClassVariance, LeavesOutMissingValues) {
  at::Tensor series = random_series(3, 1, 4, 5);
  series.index_put_({0, 0, 3}, kNan);
  const at::Tensor known = series.slice(2, 0, 3);
  const at::Tensor mean = known.mean(0, true);
  const at::Tensor last_mean = series.index({torch::indexing::Slice(1), 0, 3}).mean();
  const double first = (known[0] - mean[0]).square().mean().item<double>();
  double others = 0.0;
  for (const int item : {1, 2}) {
    const at::Tensor three = (known[item] - mean[0]).square().sum();
    others += (three + (series[item][0][3] - last_mean).square()).item<double>() / 4.0;
  }
  EXPECT_NEAR(within_class_variance(series, labels({0, 0, 0}), 1).item<double>(), (first + others) / 2.0, kRounding);
}

TEST(WithinClassVariance, HasFiniteGradientsBesideMissingValues) {
  at::Tensor series = random_series(4, 1, 6, 6);
  series.index_put_({1, 0, 2}, kNan);
  series.requires_grad_(true);
  within_class_variance(series, labels({0, 0, 1, 1}), 2).backward();
  EXPECT_TRUE(series.grad().isfinite().all().item<bool>());
}

TEST(WithinClassVariance, HasFiniteGradientsWhenABatchLacksAClass) {
  at::Tensor series = random_series(4, 1, 6, 6).set_requires_grad(true);
  within_class_variance(series, labels({0, 0, 2, 2}), 3).backward();
  EXPECT_TRUE(series.grad().isfinite().all().item<bool>());
}

TEST(SquaredDistances, AreMeanSquaredDifferences) {
  const at::Tensor series = random_series(4, 2, 10, 7);
  const at::Tensor centroids = random_series(3, 2, 10, 8);
  const at::Tensor expected = (series.unsqueeze(1) - centroids.unsqueeze(0)).square().mean({2, 3});
  EXPECT_LT((squared_distances(series, centroids) - expected).abs().max().item<double>(), kRounding);
}

TEST(SquaredDistances, CompareWhatBothHave) {
  at::Tensor series = random_series(1, 1, 5, 9);
  at::Tensor centroids = random_series(2, 1, 5, 10);
  series.index_put_({0, 0, 1}, kNan);
  centroids.index_put_({0, 0, 4}, kNan);
  centroids[1].fill_(kNan);
  double sum = 0.0;
  for (const int i : {0, 2, 3}) sum += (series[0][0][i] - centroids[0][0][i]).square().item<double>();
  const at::Tensor found = squared_distances(series, centroids);
  EXPECT_NEAR(found[0][0].item<double>(), sum / 3.0, kRounding);
  EXPECT_TRUE(std::isinf(found[0][1].item<double>()));
}

TEST(CentroidCrossEntropy, TakesASeriesOutOfItsOwnCentroid) {
  const at::Tensor series = random_series(4, 1, 12, 11);
  const at::Tensor of_class = labels({0, 0, 0, 1});
  const at::Tensor counts = labels({3, 1});
  const at::Tensor means = class_means(series, of_class, 2);
  at::Tensor logits = at::empty({1, 2}, at::kDouble);
  const at::Tensor others = series.slice(0, 1, 3).mean(0);
  logits[0][0] = -(series[0] - others).square().mean();
  logits[0][1] = -(series[0] - means[1]).square().mean();
  const at::Tensor expected = at::cross_entropy_loss(logits, labels({0}));
  const at::Tensor distances = squared_distances(series.slice(0, 0, 1), means);
  const at::Tensor found = centroid_cross_entropy(distances, labels({0}), counts, at::zeros({}, at::kDouble));
  EXPECT_NEAR(found.item<double>(), expected.item<double>(), kRounding);
}

TEST(CentroidCrossEntropy, PassesGradientsToTheSharpness) {
  const at::Tensor series = random_series(6, 1, 12, 12);
  const at::Tensor of_class = labels({0, 0, 0, 1, 1, 1});
  at::Tensor sharpness = at::zeros({}, at::kDouble).set_requires_grad(true);
  const auto loss = [&](const at::Tensor& at_sharpness) {
    return centroid_cross_entropy(squared_distances(series, class_means(series, of_class, 2)), of_class, {},
                                  at_sharpness);
  };
  loss(sharpness).backward();
  constexpr double kStep = 1e-5;
  const at::Tensor step = at::full({}, kStep, at::kDouble);
  const double slope = (loss(step) - loss(-step)).item<double>() / (2.0 * kStep);
  EXPECT_NEAR(sharpness.grad().item<double>(), slope, 1e-8);  // central differences of a smooth function
}

/// centroid_cross_entropy as tensor operations.
at::Tensor cross_entropy_by_torch(const at::Tensor& distances, const at::Tensor& labels, const at::Tensor& counts,
                                  const at::Tensor& log_sharpness) {
  const at::Tensor at_least_two = counts.to(at::kDouble).clamp_min(2);
  const at::Tensor own = (at_least_two / (at_least_two - 1)).square().index_select(0, labels).unsqueeze(1);
  const at::Tensor factors = at::ones_like(distances).scatter_(1, labels.unsqueeze(1), own);
  return at::cross_entropy_loss(distances * (factors * -log_sharpness.exp()), labels);
}

TEST(CentroidCrossEntropy, HasTheValueAndGradientsOfTorchsFormula) {
  const at::Tensor of_class = labels({0, 2, 1, 2, 0});
  const at::Tensor counts = labels({3, 1, 7});
  const auto results = [&](const auto& formula) {
    at::Tensor distances = random_series(1, 5, 3, 17)[0].square().set_requires_grad(true);
    at::Tensor log_sharpness = at::full({}, 0.8, at::kDouble).set_requires_grad(true);
    const at::Tensor loss = formula(distances, of_class, counts, log_sharpness);
    (3.0 * loss).backward();
    return std::vector<at::Tensor>{loss, distances.grad(), log_sharpness.grad()};
  };
  const auto ours = results(centroid_cross_entropy);
  const auto torchs = results(cross_entropy_by_torch);
  for (std::size_t i = 0; i < ours.size(); ++i) {
    EXPECT_LT((ours[i] - torchs[i]).abs().max().item<double>(), kRounding) << "result " << i;
  }
}

TEST(CentroidCrossEntropy, HasFiniteGradientsBesideAClassThatSharesNoSample) {
  at::Tensor distances = at::tensor({0.3, std::numeric_limits<double>::infinity(), 0.5}).view({1, 3});
  distances.requires_grad_(true);
  at::Tensor log_sharpness = at::zeros({}, at::kDouble).set_requires_grad(true);
  centroid_cross_entropy(distances, labels({0}), {}, log_sharpness).backward();
  EXPECT_TRUE(distances.grad().isfinite().all().item<bool>());
  EXPECT_TRUE(std::isfinite(log_sharpness.grad().item<double>()));
}

TEST(CentroidCrossEntropy, LeavesOutASeriesThatSharesNoSampleWithItsOwnClass) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double other : {0.5, kInfinity}) {
    at::Tensor distances = at::tensor({kInfinity, other, 0.3, 0.4}).view({2, 2});
    distances.requires_grad_(true);
    at::Tensor log_sharpness = at::zeros({}, at::kDouble).set_requires_grad(true);
    const at::Tensor loss = centroid_cross_entropy(distances, labels({0, 0}), {}, log_sharpness);
    loss.backward();
    EXPECT_TRUE(std::isfinite(loss.item<double>()));
    EXPECT_TRUE((distances.grad()[0] == 0.0).all().item<bool>());
    EXPECT_NE(distances.grad()[1][0].item<double>(), 0.0);
    EXPECT_TRUE(std::isfinite(log_sharpness.grad().item<double>()));
  }
}

TEST(Losses, RefuseSecondDerivatives) {
  const at::Tensor series = random_series(4, 1, 6, 18).set_requires_grad(true);
  const at::Tensor loss = within_class_variance(series, labels({0, 0, 1, 1}), 2);
  EXPECT_THROW((void)torch::autograd::grad({loss}, {series}, {}, true, true), c10::Error);
}

TEST(InverseConsistency, IsZeroForEqualSeriesAndNoWarp) {
  TransformerOptions options;
  options.cells = 4;
  const TemporalTransformer transformer(1, 16, options);
  const at::Tensor series = random_series(1, 1, 16, 13).to(at::kFloat).expand({3, 1, 16}).contiguous();
  const Transformed unwarped{series, {at::zeros({3, 3})}, {at::zeros({3, 5})}, {}};
  EXPECT_NEAR(inverse_consistency(transformer, series, unwarped, labels({0, 0, 0}), 1).item<double>(), 0.0, 1e-12);
}

TEST(InverseConsistency, DoesNotDependOnPadding) {
  TransformerOptions options;
  options.cells = 4;
  const TemporalTransformer transformer(1, 16, options);
  const at::Tensor series = random_series(3, 1, 16, 14).to(at::kFloat);
  const at::Tensor padded = at::cat({series, at::full({3, 1, 7}, kNan, at::kFloat)}, 2);
  const std::vector<at::Tensor> velocities = {at::tensor({0.0F, 0.3F, -0.2F, 0.1F, 0.0F}).expand({3, 5}).contiguous()};
  const Transformed warped{transformer.apply(series, velocities), {at::zeros({3, 3})}, velocities, {}};
  const double alone = inverse_consistency(transformer, series, warped, labels({0, 0, 0}), 1).item<double>();
  const double with_padding = inverse_consistency(transformer, padded, warped, labels({0, 0, 0}), 1).item<double>();
  EXPECT_NEAR(alone, with_padding, 1e-5);  // floats, positions computed in another way
  EXPECT_GT(alone, 0.1);
}

/// A transformer in double precision, whose networks play no part here.
TemporalTransformer double_transformer(std::int64_t layers, std::int64_t length) {
  TransformerOptions options;
  options.cells = 6;
  options.layers = layers;
  TemporalTransformer transformer(1, length, options);
  transformer.to(at::kDouble);
  return transformer;
}

std::vector<at::Tensor> random_velocities(std::int64_t layers, std::int64_t cases, std::uint64_t seed) {
  torch::manual_seed(seed);
  std::vector<at::Tensor> result;
  for (std::int64_t layer = 0; layer < layers; ++layer) result.push_back(0.3 * at::randn({cases, 7}, at::kDouble));
  return result;
}

/// Smooth square-root slopes, which linear interpolation reads well: (cases, 1, length).
at::Tensor smooth_slopes(std::int64_t cases, std::int64_t length) {
  const at::Tensor time = at::linspace(0.0, 1.0, length, at::kDouble);
  const at::Tensor phase = at::arange(cases, at::kDouble).unsqueeze(1);
  return (6.0 * time + phase).sin().unsqueeze(1);
}

TEST(WithinClassSlopeVariance, IsThatOfTheSlopesWhereNothingMoves) {
  const TemporalTransformer transformer = double_transformer(1, 40);
  const at::Tensor slopes = smooth_slopes(4, 40);
  const at::Tensor of_class = labels({0, 0, 1, 1});
  const std::vector<at::Tensor> rest{at::zeros({4, 7}, at::kDouble)};
  EXPECT_NEAR(within_class_slope_variance(transformer, slopes, rest, of_class, 2).item<double>(),
              within_class_variance(slopes, of_class, 2).item<double>(), kRounding);
}

TEST(WithinClassSlopeVariance, DoesNotChangeWhenAllAreWarpedAlike) {
  constexpr double kGridError = 1e-3;  // of 1001 points
  const TemporalTransformer transformer = double_transformer(2, 1001);
  const at::Tensor slopes = smooth_slopes(3, 1001);
  const at::Tensor of_class = labels({0, 0, 0});
  std::vector<at::Tensor> alike = random_velocities(2, 1, 5);
  for (at::Tensor& field : alike) {
    field.mul_(0.2);  // gentle, so that the grid is fine enough for what is stretched
    field.index_put_({0, 0}, 0.0);
    field.index_put_({0, 6}, 0.0);  // the ends stay
    field = field.expand({3, 7}).contiguous();
  }
  EXPECT_NEAR(within_class_slope_variance(transformer, slopes, alike, of_class, 1).item<double>(),
              within_class_variance(slopes, of_class, 1).item<double>(), kGridError);
}

TEST(WithinClassSlopeVariance, HasTheGradientOfItsFiniteDifferencesThroughTwoLayers) {
  constexpr double kStep = 1e-6;
  constexpr double kGradientError = 1e-5;  // half the digits of a value of order 1
  const TemporalTransformer transformer = double_transformer(2, 30);
  const at::Tensor slopes = smooth_slopes(4, 200);
  const at::Tensor of_class = labels({0, 1, 0, 1});
  std::vector<at::Tensor> velocities = random_velocities(2, 4, 6);
  const auto value = [&] { return within_class_slope_variance(transformer, slopes, velocities, of_class, 2); };
  for (at::Tensor& field : velocities) field.set_requires_grad(true);
  value().backward();
  const at::NoGradGuard no_gradients;
  for (const at::Tensor& field : velocities) {
    for (const std::int64_t vertex : {0, 2, 5}) {
      at::Tensor entry = field.select(0, 1).select(0, vertex);
      entry.add_(kStep);
      const double above = value().item<double>();
      entry.sub_(2.0 * kStep);
      const double below = value().item<double>();
      entry.add_(kStep);
      EXPECT_NEAR(field.grad().select(0, 1).select(0, vertex).item<double>(), (above - below) / (2.0 * kStep),
                  kGradientError);
    }
  }
}

TEST(WithinClassSlopeVariance, LeavesOutMissingSlopesAndHasFiniteGradientsBesideThem) {
  const TemporalTransformer transformer = double_transformer(1, 30);
  at::Tensor slopes = smooth_slopes(3, 60);
  slopes.slice(2, 20, 30).select(0, 1).fill_(kNan);
  std::vector<at::Tensor> velocities = random_velocities(1, 3, 7);
  velocities.front().set_requires_grad(true);
  const at::Tensor loss = within_class_slope_variance(transformer, slopes, velocities, labels({0, 0, 0}), 1);
  loss.backward();
  EXPECT_TRUE(std::isfinite(loss.item<double>()));
  EXPECT_TRUE(velocities.front().grad().isfinite().all().item<bool>());
}

TEST(RecognitionLoss, IsTheCrossEntropyOfTheEvidenceSummedOverLayers) {
  const at::Tensor evidence = random_series(1, 4, 3, 17)[0];
  const at::Tensor truth = labels({0, 2, 1, 2});
  double expected = 0.0;
  for (int i = 0; i < 4; ++i) {
    const double sum = evidence[i].exp().sum().item<double>();
    expected += (std::log(sum) - evidence[i][truth[i].item<std::int64_t>()].item<double>()) / 4.0;
  }
  EXPECT_NEAR(recognition_loss({evidence, evidence}, truth).item<double>(), 2.0 * expected, kRounding);
}

TEST(PriorPenalty, IsTheMeanQuadraticFormOverTheDimension) {
  const at::Tensor theta = random_series(1, 5, 3, 15)[0];
  const at::Tensor factor = random_series(1, 3, 3, 16)[0];
  const at::Tensor precision = factor.matmul(factor.t());
  double expected = 0.0;
  for (int i = 0; i < 5; ++i) expected += theta[i].dot(precision.mv(theta[i])).item<double>() / 15.0;
  EXPECT_NEAR(prior_penalty({theta, theta}, precision).item<double>(), 2.0 * expected, kRounding);
  const at::Tensor variable = theta.clone().set_requires_grad(true);
  prior_penalty({variable}, precision).backward();
  EXPECT_LT((variable.grad() - theta.matmul(precision) * (2.0 / 15.0)).abs().max().item<double>(), kRounding);
}

}  // namespace losses_test
}  // namespace diffeo
