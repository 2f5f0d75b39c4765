// A fit in a group against the same fit in one process. Here the processes are threads;
// tests/python/test_distributed.py has real ones.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "diffeo/file_error.hpp"
#include "diffeo/generate.hpp"
#include "diffeo/torch/temporal_aligner.hpp"
#include "small_training.hpp"
#include "support/temporary_directory.hpp"
#include "thread_group.hpp"

namespace diffeo::group_fit_tests {
namespace group_fit_test {

using testing::content_of;
using testing::in_threads;
using testing::TemporaryDirectory;

/// Of losses after 50 steps in double precision, where a rounding error of 1e-16 has grown through all of them.
constexpr double kSameHistory = 1e-8;
constexpr std::uint64_t kSeed = 5;

/// 50 steps, with everything that is random: batches, random warps, noise, dropout.
TrainingOptions fifty_steps() {
  TrainingOptions options = testing::small_training();
  options.widths = {4, 4};
  options.batch_size = 5;
  options.dropout = 0.2;
  options.noise = 0.05;
  options.augmentation = 0.02;
  options.prior_weight = 0.01;
  options.loss = "variance + 30 cross-entropy + inverse-consistent";
  return options;
}

/// More epochs than anybody waits for.
TrainingOptions endless() {
  TrainingOptions options = fifty_steps();
  options.epochs = 100'000;
  return options;
}

/// 23 series of two classes, unequally long: five steps an epoch, and shares that are uneven and now and then empty.
Dataset uneven_set() {
  BumpsOptions options;
  options.length = 40;
  options.classes = 2;
  const Dataset equal = generate_bumps(23, 4, options).dataset;
  Dataset set;
  for (std::size_t item = 0; item < equal.cases(); ++item) {
    set.add_case(equal.series(item).values().first(40 - item % 4), equal.label(item));
  }
  return set;
}

Dataset share_of(const Dataset& set, const Group& group) {
  std::vector<std::size_t> items;
  for (std::size_t item = group.rank(); item < set.cases(); item += group.size()) items.push_back(item);
  return set.subset(items);
}

TemporalAligner fitted(const Dataset& set, const TrainingOptions& options, const Group& group,
                       FitControl control = {}) {
  control.group = group;
  control.threads = 1;
  control.double_precision = true;
  TemporalAligner aligner(options, kSeed);
  aligner.fit(share_of(set, group), control);
  return aligner;
}

void expect_near(double came, double expected, const std::string& what) {
  EXPECT_LE(std::abs(came - expected), kSameHistory * std::abs(expected)) << what << ": " << came << ", " << expected;
}

void expect_same_history(const TemporalAligner& came, const TemporalAligner& expected, const std::string& what) {
  ASSERT_EQ(came.history().size(), expected.history().size()) << what;
  for (std::size_t epoch = 0; epoch < expected.history().size(); ++epoch) {
    const EpochRecord& one = came.history()[epoch];
    const EpochRecord& other = expected.history()[epoch];
    expect_near(one.loss, other.loss, what + ", loss");
    expect_near(one.variance, other.variance, what + ", variance");
    expect_near(one.warps, other.warps, what + ", warps");
    expect_near(one.slopes, other.slopes, what + ", slopes");
    expect_near(one.inverse_consistency, other.inverse_consistency, what + ", inverse-consistent");
    expect_near(one.cross_entropy, other.cross_entropy, what + ", cross-entropy");
    expect_near(one.recognition, other.recognition, what + ", recognition");
    expect_near(one.prior, other.prior, what + ", prior");
    expect_near(one.accuracy, other.accuracy, what + ", accuracy");
    expect_near(one.validation_loss, other.validation_loss, what + ", validation");
  }
}

/// Histories, shrinkage and centroids with several processes are those of one.
void expect_the_fit_of_one_process(const TrainingOptions& options, const std::string& what,
                                   const std::vector<std::size_t>& sizes = {2, 3}) {
  const Dataset set = uneven_set();
  const TemporalAligner alone = fitted(set, options, Group());
  for (const std::size_t size : sizes) {
    in_threads(size, [&](const Group& group) {
      const TemporalAligner together = fitted(set, options, group);
      expect_same_history(together, alone, what + " in " + std::to_string(size));
      EXPECT_EQ(together.shrinkage(), alone.shrinkage()) << what;
      EXPECT_EQ(together.centroids().class_names(), alone.centroids().class_names());
      ASSERT_EQ(together.comparison_centroids().values().size(), alone.comparison_centroids().values().size());
      for (std::size_t i = 0; i < alone.comparison_centroids().values().size(); ++i) {
        // The model is float's: weights that differ by less than that may be rounded to neighbors.
        EXPECT_NEAR(together.comparison_centroids().values()[i], alone.comparison_centroids().values()[i], 1e-5);
      }
    });
  }
}

TEST(GroupFit, HasTheHistoryOfOneProcessForEveryLoss) {
  for (const char* const loss : {"variance", "slopes", "warps", "inverse-consistent", "cross-entropy",
                                 "variance + 30 cross-entropy + inverse-consistent", "variance + 10 recognition"}) {
    TrainingOptions options = fifty_steps();
    options.loss = loss;
    expect_the_fit_of_one_process(options, loss);
  }
}

TEST(GroupFit, HasTheHistoryOfOneProcessForEveryNetwork) {
  for (const char* const network : {"recurrent", "inception", "residual"}) {
    TrainingOptions options = fifty_steps();
    options.network = network;
    options.epochs = 4;
    expect_the_fit_of_one_process(options, network, {3});
  }
}

TEST(GroupFit, HasTheHistoryOfOneProcessWithSeveralMembersLayersAndFolds) {
  TrainingOptions options = fifty_steps();
  options.epochs = 4;
  options.members = 2;
  options.layers = 2;
  options.shrinkage = "validated";
  options.validation = 0.2;
  options.balanced = false;
  expect_the_fit_of_one_process(options, "members, layers and folds");
}

TEST(GroupFit, HasTheHistoryOfOneProcessForEveryFeature) {
  TrainingOptions options = fifty_steps();
  options.epochs = 4;
  options.loss = "warps on values and slopes | variance + cross-entropy on slopes";
  expect_the_fit_of_one_process(options, "features");
}

TEST(GroupFit, HasTheHistoryOfOneProcessWithGaps) {
  TrainingOptions options = fifty_steps();
  options.epochs = 4;
  Dataset set = uneven_set();
  for (const std::size_t item : {3U, 8U}) {  // two of two processes, one and two of three
    for (std::size_t i = 5; i < 9; ++i) set.series(item).values()[i] = std::nan("");
  }
  const TemporalAligner alone = fitted(set, options, Group());
  for (const std::size_t size : {2U, 3U}) {
    in_threads(size, [&](const Group& group) { expect_same_history(fitted(set, options, group), alone, "gaps"); });
  }
}

std::string model_bytes(const TemporalAligner& aligner) {
  const TemporaryDirectory folder;
  aligner.save(folder.file("model"));
  return content_of(folder.file("model"));
}

TEST(GroupFit, ComesToTheSameBitsInAllProcessesAndEveryTime) {
  const Dataset set = uneven_set();
  std::vector<std::string> models(4);
  for (const std::size_t first : {0U, 2U}) {
    in_threads(
        2, [&](const Group& group) { models[first + group.rank()] = model_bytes(fitted(set, fifty_steps(), group)); });
  }
  for (const std::string& model : models) EXPECT_TRUE(model == models.front());
}

TEST(GroupFit, StopsInAllProcessesWhenOneIsAskedToAndGoesOnToTheSameBits) {
  const Dataset set = uneven_set();
  std::string expected;
  in_threads(2, [&](const Group& group) {
    const std::string bytes = model_bytes(fitted(set, fifty_steps(), group));
    if (group.is_first()) expected = bytes;
  });
  const TemporaryDirectory folder;
  std::atomic<int> interrupted = 0;
  in_threads(2, [&](const Group& group) {
    std::atomic<int> epochs = 0;
    FitControl control;
    if (group.is_first()) control.checkpoint = folder.file("checkpoint");  // the other keeps nothing
    control.callback = [&](const FitProgress&) { ++epochs; };
    if (!group.is_first()) control.stop = [&] { return epochs >= 2; };
    try {
      (void)fitted(set, endless(), group, control);
    } catch (const Interrupted&) {
      ++interrupted;
    }
  });
  EXPECT_EQ(interrupted, 2);

  in_threads(2, [&](const Group& group) {  // another fit, with fewer epochs: stopped before its end, or not at all
    FitControl control;
    if (group.is_first()) control.checkpoint = folder.file("second");
    std::atomic<int> epochs = 0;
    control.callback = [&](const FitProgress&) { ++epochs; };
    if (!group.is_first()) control.stop = [&] { return epochs >= 1; };
    try {
      (void)fitted(set, fifty_steps(), group, control);
    } catch (const Interrupted&) {
    }
    control.stop = {};
    control.resume = true;
    EXPECT_TRUE(model_bytes(fitted(set, fifty_steps(), group, control)) == expected);
  });
}

TEST(GroupFit, BeginsWithNothingOfAFitBefore) {
  const TemporaryDirectory folder;
  const std::filesystem::path checkpoint = folder.file("checkpoint");
  std::filesystem::create_directory(checkpoint);
  for (const char* const name : {"member-0.safetensors", "member-1.safetensors", "member-7.safetensors.partial-3"}) {
    std::ofstream(checkpoint / name) << "stale";
  }
  TrainingOptions options = endless();
  options.members = 2;
  in_threads(2, [&](const Group& group) {  // stopped before the second member begins
    FitControl control;
    if (group.is_first()) control.checkpoint = checkpoint;
    control.run = "a/b";
    control.stop = [] { return true; };
    EXPECT_THROW((void)fitted(uneven_set(), options, group, control), Interrupted);
  });
  EXPECT_NE(content_of(checkpoint / "member-0.safetensors"), "stale");
  EXPECT_FALSE(std::filesystem::exists(checkpoint / "member-1.safetensors"));
  EXPECT_FALSE(std::filesystem::exists(checkpoint / "member-7.safetensors.partial-3"));
  EXPECT_TRUE(is_checkpoint_of(checkpoint, "a/b"));
  EXPECT_FALSE(is_checkpoint_of(checkpoint, "another"));
  remove_checkpoint(checkpoint);
  EXPECT_FALSE(std::filesystem::exists(checkpoint));
}

TEST(GroupFit, EndsInAllProcessesWhereTheFirstCannotKeepACheckpoint) {
  const TemporaryDirectory folder;
  const std::filesystem::path checkpoint = folder.file("checkpoint");
  std::atomic<int> ended = 0;
  in_threads(2, [&](const Group& group) {
    FitControl control;
    control.checkpoint_seconds = 0.0;
    if (group.is_first()) {
      control.checkpoint = checkpoint;
      control.callback = [&](const FitProgress& progress) {
        if (progress.record.epoch == 1) std::filesystem::rename(checkpoint, folder.file("elsewhere"));
      };
    }
    try {
      (void)fitted(uneven_set(), endless(), group, control);
    } catch (const FileError& problem) {
      EXPECT_TRUE(group.is_first());
      EXPECT_EQ(problem.place().file, (checkpoint / "member-0.safetensors").string());
      ++ended;
    } catch (const FailedElsewhere& problem) {
      EXPECT_TRUE(std::string(problem.what()).starts_with("process 0: ")) << problem.what();
      ++ended;
    }
  });
  EXPECT_EQ(ended, 2);
}

TEST(GroupFit, RefusesOtherOptionsInOtherProcesses) {
  const Dataset set = uneven_set();
  std::atomic<int> refused = 0;
  in_threads(3, [&](const Group& group) {
    TrainingOptions options = fifty_steps();
    if (group.rank() == 2) options.cells = 9;
    try {
      (void)fitted(set, options, group);
    } catch (const std::invalid_argument& problem) {
      EXPECT_STREQ(problem.what(), "cells: expected the same in all processes, got 8 in process 0 and 9 in process 2");
      ++refused;
    } catch (const FailedElsewhere&) {
      ++refused;
    }
  });
  EXPECT_EQ(refused, 3);
}

TEST(GroupFit, RefusesWhatOneProcessCannotTrainOn) {
  const Dataset set = uneven_set();
  std::atomic<int> refused = 0;
  in_threads(2, [&](const Group& group) {
    Dataset own = share_of(set, group);
    if (group.rank() == 1) own.values()[3] = INFINITY;
    TemporalAligner aligner(fifty_steps(), kSeed);
    FitControl control;
    control.group = group;
    try {
      aligner.fit(own, control);
    } catch (const std::invalid_argument&) {
      EXPECT_EQ(group.rank(), 1U);
      ++refused;
    } catch (const FailedElsewhere& problem) {
      EXPECT_STREQ(problem.what(), "process 1: training: expected finite or missing values, got an infinite one");
      ++refused;
    }
  });
  EXPECT_EQ(refused, 2);
}

}  // namespace group_fit_test
}  // namespace diffeo::group_fit_tests
