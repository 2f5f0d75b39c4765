#include "diffeo/torch/group.hpp"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "diffeo/torch/losses.hpp"
#include "normalized_pooling.hpp"
#include "shared_batch_norm.hpp"
#include "shared_set.hpp"
#include "thread_group.hpp"

namespace diffeo::group_tests {
namespace group_test {

using testing::in_threads;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kRounding = 1e-12;  // doubles of size 1, added up in another order

/// How six cases are shared out: which of them each process has. Evenly, unevenly, and with somebody who has none.
std::vector<std::vector<std::vector<std::int64_t>>> ways_to_share() {
  return {{{0, 2, 4}, {1, 3, 5}}, {{0}, {1, 2, 3, 4, 5}}, {{0, 3, 4}, {}, {1, 2, 5}}};
}

at::Tensor rows_of(const std::vector<std::int64_t>& rows) { return at::tensor(rows, at::kLong); }

at::Tensor random_series(std::int64_t length, std::uint64_t seed) {
  torch::manual_seed(seed);
  return at::randn({6, 2, length}, at::kDouble);
}

void expect_near(const at::Tensor& came, const at::Tensor& expected) {
  ASSERT_EQ(came.sizes(), expected.sizes());
  if (came.numel() == 0) return;
  EXPECT_LT((came - expected).abs().max().item<double>(), kRounding);
}

TEST(Group, OfOneProcessGivesBackTheTensorItself) {
  const Group alone;
  const at::Tensor values = at::ones({3});
  EXPECT_TRUE(alone.sum(values).is_same(values));
  EXPECT_TRUE(alone.alone());
  EXPECT_EQ(alone.size(), 1U);
  EXPECT_EQ(alone.gathered("text"), std::vector<std::string>{"text"});
}

TEST(Group, OfAnUnknownNameIsRefused) {
  try {
    (void)Group::named("nobody");
    FAIL() << "nothing was thrown";
  } catch (const std::invalid_argument& problem) {
    EXPECT_NE(std::string(problem.what()).find("got \"nobody\""), std::string::npos) << problem.what();
  }
}

TEST(Group, SumsAndWhatTheySendBack) {
  in_threads(3, [](const Group& group) {
    const double own = 1.0 + static_cast<double>(group.rank());
    const at::Tensor share = at::full({2}, own, at::kDouble).set_requires_grad(true);
    const at::Tensor total = group.sum(share);
    expect_near(total.detach(), at::full({2}, 6.0, at::kDouble));
    (own * total.square().sum()).backward();  // the whole loss is (1 + 2 + 3) total^2
    expect_near(share.grad(), at::full({2}, 2.0 * 6.0 * 6.0, at::kDouble));
  });
}

TEST(Group, GathersTextsInTheOrderOfRanks) {
  in_threads(3, [](const Group& group) {
    const std::string own(group.rank(), static_cast<char>('a' + group.rank()));
    EXPECT_EQ(group.gathered(own), (std::vector<std::string>{"", "b", "cc"}));
    EXPECT_EQ(group.of_first(group.is_first() ? "first" : "another"), "first");
  });
}

TEST(Group, SumsGradientsOverAsManyBucketsAsItTakes) {
  in_threads(2, [](const Group& group) {
    std::vector<at::Tensor> parameters;
    for (const std::int64_t size : {3, 200'000, 1, 90'000}) {  // 1.6 MB and 0.7 MB do not fit into one bucket
      parameters.push_back(at::zeros({size}, at::kDouble).set_requires_grad(true));
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (i == 2 && group.rank() == 1) continue;  // no gradient here
      parameters[i].mutable_grad() =
          at::full_like(parameters[i], static_cast<double>(i + 1) * (1.0 + static_cast<double>(group.rank())));
    }
    std::vector<double> numbers = {1.0, -static_cast<double>(group.rank())};
    group.sum_gradients(parameters, numbers);
    EXPECT_EQ(numbers, (std::vector<double>{2.0, -1.0}));
    const std::vector<double> expected = {3.0, 6.0, 3.0, 12.0};
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      EXPECT_TRUE((parameters[i].grad() == expected[i]).all().item<bool>()) << i;
    }
  });
}

TEST(Group, FailsTogetherAndTheFirstThatFailedSaysWhy) {
  std::atomic<int> originals = 0;
  std::atomic<int> others = 0;
  in_threads(3, [&](const Group& group) {
    try {
      group.together([&] {
        if (group.rank() != 0) throw std::invalid_argument("wrong in " + std::to_string(group.rank()));
      });
    } catch (const std::invalid_argument& problem) {
      EXPECT_EQ(group.rank(), 1U);
      EXPECT_STREQ(problem.what(), "wrong in 1");
      ++originals;
    } catch (const FailedElsewhere& problem) {
      EXPECT_STREQ(problem.what(), "process 1: wrong in 1");
      ++others;
    }
  });
  EXPECT_EQ(originals, 1);
  EXPECT_EQ(others, 2);
}

using Loss = std::function<at::Tensor(const at::Tensor& series, const at::Tensor& labels, const Group& group)>;

/// The shares add up to the term, and their gradients are rows of its gradient.
void expect_shares_of_the_term(const at::Tensor& all, const Loss& loss) {
  const at::Tensor labels = at::tensor({0, 0, 1, 1, 1, 2}, at::kLong);
  const at::Tensor whole = all.clone().set_requires_grad(true);
  const at::Tensor term = loss(whole, labels, Group());
  term.backward();
  for (const auto& shares : ways_to_share()) {
    in_threads(shares.size(), [&](const Group& group) {
      const at::Tensor rows = rows_of(shares[group.rank()]);
      const at::Tensor own = all.index_select(0, rows).set_requires_grad(true);
      const at::Tensor share = loss(own, labels.index_select(0, rows), group);
      EXPECT_NEAR(group.sum(share.item<double>()), term.item<double>(), kRounding);
      share.backward();
      expect_near(own.grad(), whole.grad().index_select(0, rows));
    });
  }
}

TEST(Group, SharesOfTheVarianceAddUp) {
  const Loss variance = [](const at::Tensor& series, const at::Tensor& labels, const Group& group) {
    return within_class_variance(series, labels, 3, group);
  };
  expect_shares_of_the_term(random_series(9, 1), variance);
  const at::Tensor with_gaps = random_series(9, 2);
  with_gaps[3][1].slice(0, 2, 5).fill_(kNan);  // of one process, and all take the formula for gaps
  expect_shares_of_the_term(with_gaps, variance);
}

TEST(Group, SharesOfTheInverseConsistencyAddUp) {
  TransformerOptions options;
  options.cells = 4;
  const auto dimension = static_cast<std::int64_t>(WarpSpace(4).dimension());
  const auto transformer = std::make_shared<TemporalTransformer>(2, 12, options);
  transformer->to(at::kDouble);
  expect_shares_of_the_term(
      random_series(12, 3), [&](const at::Tensor& series, const at::Tensor& labels, const Group& group) {
        // Velocities that depend on the series, without a network between.
        const at::Tensor theta = 0.1 * series.flatten(1).slice(1, 0, dimension);
        const std::vector<at::Tensor> velocities = {theta.matmul(transformer->vertex_basis().t())};
        const Transformed transformed{transformer->apply(series, velocities), {theta}, velocities, {}};
        return inverse_consistency(*transformer, series, transformed, labels, 3, 1.0, group);
      });
}

/// A normalization that has seen something already.
SharedBatchNorm used_norm() {
  SharedBatchNorm norm(2);
  norm->to(at::kDouble);
  norm->num_batches_tracked = norm->num_batches_tracked.to(at::kLong);
  const at::NoGradGuard no_gradients;
  norm->weight.copy_(at::tensor({1.5, -0.7}));
  norm->bias.copy_(at::tensor({0.2, 0.1}));
  norm->running_mean.copy_(at::tensor({0.5, -3.0}));
  return norm;
}

using Normalized = std::function<at::Tensor(const at::Tensor& features, SharedBatchNorm& norm)>;

/// Every process has the rows of the whole, forward and back, and the same running averages.
void expect_statistics_of_the_whole_batch(const Normalized& normalized) {
  const at::Tensor all = 2.0 * random_series(17, 5) + 1.0;
  const auto weights_of = [](const at::Tensor& out) { return at::arange(out[0].numel(), at::kDouble).view_as(out[0]); };
  SharedBatchNorm alone = used_norm();
  const at::Tensor whole = all.clone().set_requires_grad(true);
  const at::Tensor expected = normalized(whole, alone);
  (expected * weights_of(expected)).sum().backward();
  for (const auto& shares : ways_to_share()) {
    in_threads(shares.size(), [&](const Group& group) {
      const at::Tensor rows = rows_of(shares[group.rank()]);
      SharedBatchNorm norm = used_norm();
      norm->set_group(group);
      const at::Tensor own = all.index_select(0, rows).set_requires_grad(true);
      const at::Tensor came = normalized(own, norm);
      (came * weights_of(expected)).sum().backward();
      expect_near(came.detach(), expected.detach().index_select(0, rows));
      expect_near(own.grad(), whole.grad().index_select(0, rows));
      std::vector<double> nothing_else;
      group.sum_gradients({norm->weight, norm->bias}, nothing_else);
      EXPECT_TRUE(at::allclose(norm->weight.grad(), alone->weight.grad(), kRounding));
      EXPECT_TRUE(at::allclose(norm->bias.grad(), alone->bias.grad(), kRounding));
      expect_near(norm->running_mean, alone->running_mean);
      expect_near(norm->running_var, alone->running_var);
    });
  }
}

TEST(Group, PoolingIsNormalizedOverTheWholeBatch) {
  for (const bool pools : {true, false}) {
    expect_statistics_of_the_whole_batch([pools](const at::Tensor& features, SharedBatchNorm& norm) {
      return normalized_pooling(features, *norm, pools, norm->group());
    });
  }
}

TEST(Group, BatchNormalizationIsThatOfTheWholeBatch) {
  expect_statistics_of_the_whole_batch(
      [](const at::Tensor& features, SharedBatchNorm& norm) { return norm(features); });
}

/// Seven cases of different lengths and three classes; the first, third, ... for process 0 of two.
Dataset small_set() {
  Dataset set;
  const std::vector<std::string> names = {"b", "a", "b", "c", "a", "a", "c"};
  for (std::size_t item = 0; item < names.size(); ++item) {
    set.add_case(std::vector<double>(8 + item, static_cast<double>(item)), names[item]);
  }
  return set;
}

std::vector<std::size_t> every(std::size_t size, std::size_t first, std::size_t cases) {
  std::vector<std::size_t> items;
  for (std::size_t item = first; item < cases; item += size) items.push_back(item);
  return items;
}

/// As a caller has it who knows his own labels alone.
Dataset part_of(const Dataset& set, const Group& group) {
  Dataset part;
  for (const std::size_t item : every(group.size(), group.rank(), set.cases())) {
    part.add_case(set.series(item).values(), set.label(item));
  }
  return part;
}

TEST(SharedSet, OfEverySizethCaseIsTheSetInItsOrder) {
  const Dataset set = small_set();
  const SharedSet alone(set, Group());
  for (const std::size_t size : {2U, 3U}) {
    in_threads(size, [&](const Group& group) {
      const Dataset part = part_of(set, group);
      const SharedSet shared(part, group);
      EXPECT_EQ(shared.cases(), set.cases());
      EXPECT_EQ(shared.longest(), set.longest());
      EXPECT_EQ(shared.class_names(), set.class_names());
      EXPECT_EQ(shared.labels(), alone.labels());
      EXPECT_EQ(shared.own_items(), every(size, group.rank(), set.cases()));
      EXPECT_EQ(shared.digest(), alone.digest());
    });
  }
}

TEST(SharedSet, SaysWhatAProcessHasOfABatch) {
  const Dataset set = small_set();
  in_threads(2, [&](const Group& group) {
    const Dataset part = part_of(set, group);
    const BatchShare share = SharedSet(part, group).share_of(std::vector<std::size_t>{5, 0, 3, 4});
    EXPECT_EQ(share.cases, 4U);
    EXPECT_EQ(share.longest, 13U);  // case 5, which only the second process has
    EXPECT_EQ(share.items, group.is_first() ? (std::vector<std::size_t>{0, 4}) : (std::vector<std::size_t>{5, 3}));
    EXPECT_EQ(share.places, group.is_first() ? (std::vector<std::size_t>{0, 2}) : (std::vector<std::size_t>{2, 1}));
    EXPECT_EQ(share.positions,
              group.is_first() ? (std::vector<std::int64_t>{1, 3}) : (std::vector<std::int64_t>{0, 2}));
  });
}

TEST(SharedSet, NeedsASeriesInEveryProcess) {
  const Dataset set = small_set();
  std::atomic<int> refused = 0;
  in_threads(2, [&](const Group& group) {
    const Dataset own = group.is_first() ? set : Dataset();
    try {
      const SharedSet shared(own, group);
    } catch (const std::invalid_argument& problem) {
      EXPECT_STREQ(problem.what(), "training: expected a series for each of the 2 processes, got 7");
      ++refused;
    } catch (const FailedElsewhere&) {
      ++refused;
    }
  });
  EXPECT_EQ(refused, 2);
}

}  // namespace group_test
}  // namespace diffeo::group_tests
