#include "diffeo/torch/temporal_aligner.hpp"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "diffeo/alignment_quality.hpp"
#include "diffeo/file_error.hpp"
#include "diffeo/generate.hpp"
#include "diffeo/generate_warped.hpp"
#include "diffeo/tensor_file.hpp"
#include "shrinkage.hpp"
#include "small_training.hpp"
#include "support/files_cannot_grow.hpp"
#include "support/temporary_directory.hpp"
#include "torch_threads.hpp"

namespace diffeo {
namespace temporal_aligner_test {

using testing::content_of;
using testing::FilesCannotGrow;
using testing::TemporaryDirectory;
using Clock = std::chrono::steady_clock;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TrainingOptions small_options() {
  TrainingOptions options = testing::small_training();
  options.batch_size = 8;
  options.shrinkage = "1";
  return options;
}

Dataset bumps(std::size_t cases, std::uint64_t seed) {
  BumpsOptions options;
  options.length = 48;
  options.classes = 2;
  return generate_bumps(cases, seed, options).dataset;
}

/// Names what differs: a model is many tensors.
void expect_same_bits(const TemporalAligner& expected, const TemporalAligner& came) {
  const TemporaryDirectory folder;
  expected.save(folder.file("expected"));
  came.save(folder.file("came"));
  const TensorFile file = read_tensor_file(folder.file("came"));
  for (const NamedTensor& tensor : read_tensor_file(folder.file("expected")).tensors) {
    const NamedTensor* const found = file.find(tensor.name);
    ASSERT_NE(found, nullptr) << tensor.name;
    EXPECT_TRUE(*found == tensor) << tensor.name;
  }
  EXPECT_TRUE(content_of(folder.file("expected")) == content_of(folder.file("came")));
}

std::string model_bytes(const TemporalAligner& aligner) {
  const TemporaryDirectory folder;
  aligner.save(folder.file("model"));
  return content_of(folder.file("model"));
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::exception& problem) {
    return problem.what();
  }
  return "nothing was thrown";
}

/// Of the values that are not missing.
double variance_of(const Dataset& set) {
  double sum = 0.0;
  for (const auto& group : set.cases_by_class()) {
    for (std::size_t i = 0; i < set.longest(); ++i) {
      std::vector<double> present;
      for (const std::size_t item : group) {
        if (const double value = set.series(item).values()[i]; !std::isnan(value)) present.push_back(value);
      }
      double mean = 0.0;
      for (const double value : present) mean += value / static_cast<double>(present.size());
      for (const double value : present) sum += std::pow(value - mean, 2);
    }
  }
  return sum;
}

TEST(TemporalAligner, LearnsWarpsThatAlignNewSeries) {
  TrainingOptions options = small_options();
  options.least_steps = 400;
  options.loss = "variance";
  TemporalAligner aligner(options, 1);
  aligner.fit(bumps(40, 1));
  const Dataset unseen = bumps(60, 1).subset(std::vector<std::size_t>{40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51});
  EXPECT_LT(variance_of(aligner.transform(unseen)), 0.5 * variance_of(unseen));
  EXPECT_LT(aligner.history().back().variance, aligner.history().front().variance);
}

Rows<const double> rows_of(const Matrix& matrix) { return {matrix.values().data(), matrix.rows(), matrix.columns()}; }

TEST(TemporalAligner, TaughtByAlignBringsNewSeriesOfDifferentHeightsIntoTrueTime) {
  WarpedOptions warped = default_warped_options(WarpedKind::two_peaks);
  warped.height = 0.25;
  warped.noise = 0.03;
  const WarpedSeries made = generate_warped(WarpedKind::two_peaks, 80, 3, warped);
  std::vector<std::size_t> known;
  std::vector<std::size_t> unseen;
  for (std::size_t item = 0; item < made.dataset.cases(); ++item) (item % 2 == 0 ? known : unseen).push_back(item);
  TrainingOptions options = small_options();
  options.cells = 16;
  options.loss = "warps on values and slopes";
  options.least_steps = 400;
  TemporalAligner aligner(options, 1);
  aligner.fit(made.dataset.subset(known));
  const Matrix warps = aligner.warps(made.dataset.subset(unseen));
  Matrix truth(unseen.size(), made.warps.columns());
  for (std::size_t row = 0; row < unseen.size(); ++row) {
    std::ranges::copy(made.warps.row(unseen[row]),
                      truth.values().begin() + static_cast<std::ptrdiff_t>(row * truth.columns()));
  }
  EXPECT_LT(true_time_spread(rows_of(warps), rows_of(truth)).share(), 0.3);
  EXPECT_LT(aligner.history().back().warps, 0.2);
  EXPECT_EQ(aligner.history().back().slopes, 0.0);
}

/// At vertices the mean warp is the identity; between them it is near.
constexpr double kNearlyCentered = 5e-3;

double distance_of_mean_warp(const Matrix& warps) {
  double largest = 0.0;
  for (std::size_t i = 0; i < warps.columns(); ++i) {
    double mean = 0.0;
    for (std::size_t row = 0; row < warps.rows(); ++row) mean += warps(row, i) / static_cast<double>(warps.rows());
    largest = std::max(largest, std::abs(mean - static_cast<double>(i) / static_cast<double>(warps.columns() - 1)));
  }
  return largest;
}

TEST(TemporalAligner, PutsCommonTimeInTheMiddleOfTheTrainingSeries) {
  const Dataset set = bumps(24, 1);
  for (const bool centered : {true, false}) {
    TrainingOptions options = small_options();
    options.loss = "variance";
    options.layers = 2;
    options.centered = centered;
    TemporalAligner aligner(options, 1);
    aligner.fit(set);
    const double distance = distance_of_mean_warp(aligner.warps(set));
    EXPECT_EQ(distance < kNearlyCentered, centered) << distance;
  }
}

TEST(TemporalAligner, RecognizesClassesWhereTheLossAsksForIt) {
  TrainingOptions options = small_options();
  options.loss = "variance + 5 recognition";
  options.least_steps = 200;
  TemporalAligner aligner(options, 1);
  const Dataset training = bumps(24, 1);
  aligner.fit(training);
  EXPECT_GT(aligner.history().front().recognition, 0.0);
  EXPECT_LT(aligner.history().back().recognition, 0.9 * aligner.history().front().recognition);

  const TemporaryDirectory folder;
  aligner.save(folder.file("model"));
  const Dataset unseen = bumps(9, 5);
  const Dataset aligned = aligner.transform(unseen);
  const TemporalAligner loaded = TemporalAligner::load(folder.file("model"));
  EXPECT_TRUE(std::ranges::equal(loaded.transform(unseen).values(), aligned.values()));
}

TEST(TemporalAligner, GivesEveryMemberItsLoss) {
  TrainingOptions options = small_options();
  options.loss = "variance + recognition | variance + cross-entropy";
  options.members = 3;
  TemporalAligner aligner(options, 1);
  aligner.fit(bumps(12, 1));
  for (const EpochRecord& record : aligner.history()) {
    EXPECT_EQ(record.recognition > 0.0, record.member != 1);
    EXPECT_TRUE(record.member == 1 || record.cross_entropy == 0.0);
    EXPECT_EQ(record.loss > record.variance + 1e-2,
              record.member != 1);  // where nothing is left to tell apart by warps
  }
  const TemporaryDirectory folder;
  aligner.save(folder.file("model"));
  const Dataset unseen = bumps(5, 5);
  EXPECT_TRUE(std::ranges::equal(TemporalAligner::load(folder.file("model")).comparison(unseen).values(),
                                 aligner.comparison(unseen).values()));
}

TEST(TemporalAligner, HasNothingToRecognizeInSeriesWithoutLabels) {
  TrainingOptions options = small_options();
  options.loss = "variance + 5 recognition";
  TemporalAligner aligner(options, 1);
  aligner.fit(Dataset(bumps(12, 1).block()));
  EXPECT_EQ(aligner.history().back().recognition, 0.0);
}

TEST(TemporalAligner, GivesTheSameBitsForTheSameSeed) {
  const Dataset set = bumps(20, 2);
  const auto fitted = [&](std::uint64_t seed) {
    TemporalAligner aligner(small_options(), seed);
    aligner.fit(set);
    return model_bytes(aligner);
  };
  const std::string first = fitted(7);
  EXPECT_TRUE(first == fitted(7));
  EXPECT_FALSE(first == fitted(8));
}

TEST(TemporalAligner, GivesTheSameBitsForAnyNumberOfThreadsUpToItsMembers) {
  const Dataset set = bumps(20, 2);
  TrainingOptions options = small_options();
  options.members = 3;
  const auto fitted = [&](std::size_t threads) {
    TemporalAligner aligner(options, 7);
    aligner.fit(set, {.threads = threads});
    return model_bytes(aligner);
  };
  EXPECT_TRUE(fitted(1) == fitted(3));
}

TEST(TemporalAligner, LeavesTorchsGeneratorAndThreadsAsTheyWere) {
  const at::Generator generator = at::detail::getDefaultCPUGenerator();
  const at::Tensor before = generator.get_state();
  const int threads = at::get_num_threads();
  TemporalAligner aligner(small_options(), 7);
  aligner.fit(bumps(12, 3));
  EXPECT_TRUE(at::equal(before, generator.get_state()));
  EXPECT_EQ(at::get_num_threads(), threads);
}

TEST(TemporalAligner, TransformsToTheSameBitsForAnyNumberOfThreads) {
  TemporalAligner aligner(small_options(), 7);
  aligner.fit(bumps(12, 3), {.threads = 1});
  const Dataset series = bumps(600, 4);  // three parts
  const int before = at::get_num_threads();
  at::set_num_threads(1);
  const Dataset alone = aligner.transform(series);
  at::set_num_threads(3);
  const Dataset together = aligner.transform(series);
  EXPECT_EQ(at::get_num_threads(), 3);
  at::set_num_threads(before);
  EXPECT_TRUE(std::ranges::equal(alone.values(), together.values()));
}

/// Interrupts a fit after so many epochs. Who asks it to stop is not waited for, and on a busy machine may come when
/// all is done: then once more.
bool interrupted_after(int epochs, const TrainingOptions& options, const Dataset& set,
                       const std::filesystem::path& checkpoint) {
  constexpr int kAttempts = 5;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    int done = 0;
    TemporalAligner aligner(options, 5);
    try {
      aligner.fit(set, {.checkpoint = checkpoint,
                        .checkpoint_seconds = 0.0,
                        .callback = [&](const FitProgress&) { ++done; },
                        .stop = [&] { return done >= epochs; }});
    } catch (const Interrupted&) {
      return !aligner.fitted();
    }
  }
  return false;
}

class ResumedAfter : public ::testing::TestWithParam<int> {};

TEST_P(ResumedAfter, EndsWithTheBitsOfAnUninterruptedRun) {
  const TemporaryDirectory folder;
  const Dataset set = bumps(24, 4);
  TrainingOptions options = small_options();
  options.loss = "variance + cross-entropy | warps on values and slopes";
  options.shrinkage = "validated";
  options.noise = 0.1;
  options.augmentation = 0.05;
  TemporalAligner undisturbed(options, 5);
  undisturbed.fit(set);

  ASSERT_TRUE(interrupted_after(GetParam(), options, set, folder.file("checkpoint")));
  TemporalAligner resumed(options, 5);
  resumed.fit(set, {.checkpoint = folder.file("checkpoint"), .resume = true});
  expect_same_bits(undisturbed, resumed);
  EXPECT_EQ(undisturbed.history(), resumed.history());
}

INSTANTIATE_TEST_SUITE_P(TemporalAligner, ResumedAfter, ::testing::Values(0, 1, 9, 15));

TEST(TemporalAligner, ForgetsAnOlderCheckpointBeforeItAlignsTheSeriesItIsTaughtBy) {
  const TemporaryDirectory folder;
  const FitControl keeps = {.checkpoint = folder.file("checkpoint")};
  TemporalAligner(small_options(), 1).fit(bumps(12, 1), keeps);
  ASSERT_TRUE(std::filesystem::exists(folder.file("checkpoint")));
  TrainingOptions options = small_options();
  options.loss = "warps";
  const FitControl stops = {.checkpoint = folder.file("checkpoint"), .stop = [] { return true; }};
  EXPECT_THROW(TemporalAligner(options, 2).fit(bumps(12, 1), stops), Interrupted);
  EXPECT_FALSE(std::filesystem::exists(folder.file("checkpoint"))) << "nobody can go on from it";
}

TEST(TemporalAligner, ResumesWithEarlyStopping) {
  const TemporaryDirectory folder;
  const Dataset set = bumps(24, 4);
  TrainingOptions options = small_options();
  options.validation = 0.25;
  options.patience = 3;
  options.epochs = 40;
  options.learning_rate = 0.02;
  TemporalAligner undisturbed(options, 5);
  undisturbed.fit(set);
  ASSERT_LT(undisturbed.history().size(), 40U) << "the test wants a fit that stops early";
  int epochs = 0;
  TemporalAligner aligner(options, 5);
  const FitControl stops = {.checkpoint = folder.file("checkpoint"),
                            .callback = [&](const FitProgress&) { ++epochs; },
                            .stop = [&] { return epochs >= 2; }};
  try {
    aligner.fit(set, stops);
  } catch (const Interrupted&) {
  }
  aligner.fit(set, {.checkpoint = folder.file("checkpoint"), .resume = true});
  expect_same_bits(undisturbed, aligner);
}

TEST(TemporalAligner, RefusesToResumeWithOtherOptionsSeedOrData) {
  const TemporaryDirectory folder;
  const FitControl control = {.checkpoint = folder.file("checkpoint"), .resume = true};
  TemporalAligner(small_options(), 1).fit(bumps(12, 1), control);
  TrainingOptions others = small_options();
  others.learning_rate = 0.5;
  EXPECT_NE(message_of([&] { TemporalAligner(others, 1).fit(bumps(12, 1), control); }).find("learning_rate 0.5, got"),
            std::string::npos);
  EXPECT_NE(message_of([&] { TemporalAligner(small_options(), 2).fit(bumps(12, 1), control); }).find("seed 2, got 1"),
            std::string::npos);
  EXPECT_NE(message_of([&] { TemporalAligner(small_options(), 1).fit(bumps(12, 9), control); }).find("training set"),
            std::string::npos);
}

TEST(TemporalAligner, RemovesItsCheckpointsAndNothingElse) {
  const TemporaryDirectory folder;
  TemporalAligner(small_options(), 1).fit(bumps(12, 1), {.checkpoint = folder.file("checkpoint")});
  EXPECT_TRUE(std::filesystem::exists(folder.file("checkpoint") / "member-0.safetensors"));
  std::ofstream(folder.file("checkpoint") / "notes.txt") << "mine";
  remove_checkpoint(folder.file("checkpoint"));
  EXPECT_FALSE(std::filesystem::exists(folder.file("checkpoint") / "member-0.safetensors"));
  EXPECT_TRUE(std::filesystem::exists(folder.file("checkpoint") / "notes.txt"));
}

TEST(TemporalAligner, LeavesNoCheckpointThatNobodyCanGoOnFrom) {
  const TemporaryDirectory folder;
  const std::filesystem::path checkpoint = folder.file("checkpoint");
  for (const bool resume : {false, true}) {
    const FilesCannotGrow full;
    TemporalAligner aligner(small_options(), 1);
    EXPECT_THROW(aligner.fit(bumps(12, 1), {.checkpoint = checkpoint, .resume = resume}), FileAccessError);
  }
  EXPECT_FALSE(std::filesystem::exists(checkpoint));

  TrainingOptions longer = small_options();
  longer.epochs = 200;
  ASSERT_TRUE(interrupted_after(1, longer, bumps(12, 1), checkpoint));
  const FilesCannotGrow full;
  TemporalAligner aligner(longer, 5);
  EXPECT_THROW(aligner.fit(bumps(12, 1), {.checkpoint = checkpoint, .resume = true}), FileAccessError);
  EXPECT_TRUE(std::filesystem::exists(checkpoint / "member-0.safetensors")) << "one that a fit can go on from";
}

TEST(TemporalAligner, SaysThatNothingCouldBeKeptWhereItIsInterruptedOnAFullDisk) {
  const TemporaryDirectory folder;
  TrainingOptions longer = small_options();
  longer.epochs = 100'000;
  const FilesCannotGrow full;
  const Clock::time_point start = Clock::now();
  FitControl control{.checkpoint = folder.file("checkpoint"), .checkpoint_seconds = 1e9};
  control.stop = [&] { return Clock::now() > start + std::chrono::milliseconds(300); };
  EXPECT_THROW(TemporalAligner(longer, 1).fit(bumps(12, 1), control), FileAccessError);
}

TEST(TemporalAligner, StopsWhereALossIsNotFiniteAndSaysWhere) {
  const TemporaryDirectory folder;
  TrainingOptions options = small_options();
  options.learning_rate = 1e3;
  options.prior_weight = 1e9;
  options.velocity_scale = 1e6;
  options.epochs = 200;
  TemporalAligner aligner(options, 1);
  const std::string problem = message_of([&] { aligner.fit(bumps(12, 1), {.checkpoint = folder.file("checkpoint")}); });
  EXPECT_NE(problem.find("not finite in epoch"), std::string::npos) << problem;
  EXPECT_NE(problem.find("member-0.safetensors"), std::string::npos) << problem;
  EXPECT_FALSE(aligner.fitted());
}

TEST(TemporalAligner, PassesOnWhatACallbackThrows) {
  TemporalAligner aligner(small_options(), 1);
  const FitControl control = {.callback = [](const FitProgress&) { throw std::domain_error("enough"); }};
  EXPECT_THROW(aligner.fit(bumps(12, 1), control), std::domain_error);
}

TEST(TemporalAligner, ReportsEveryEpochOfEveryMember) {
  TrainingOptions options = small_options();
  options.members = 2;
  std::vector<FitProgress> heard;
  TemporalAligner aligner(options, 1);
  aligner.fit(bumps(12, 1), {.callback = [&](const FitProgress& progress) { heard.push_back(progress); }});
  ASSERT_EQ(heard.size(), 20U);
  EXPECT_EQ(heard.back().done, 1.0);
  EXPECT_EQ(aligner.history().size(), 20U);
  EXPECT_GT(heard.back().record.accuracy, 0.0);
}

TEST(TemporalAligner, TransformsNewSeriesAloneAsTogether) {
  constexpr double kFloats = 1e-4;  // networks are of floats, and batches of other sizes add up in another order
  TemporalAligner aligner(small_options(), 1);
  aligner.fit(bumps(12, 1));
  const Dataset series = bumps(5, 8);
  const Dataset together = aligner.transform(series);
  for (std::size_t item = 0; item < series.cases(); ++item) {
    const Dataset alone = aligner.transform(series.subset(std::vector<std::size_t>{item}));
    for (std::size_t i = 0; i < series.longest(); ++i) {
      EXPECT_NEAR(alone.series(0).values()[i], together.series(item).values()[i], kFloats);
    }
  }
}

TEST(TemporalAligner, TakesSeriesOfDifferentLengthsWithGaps) {
  Dataset ragged(1);
  const Dataset series = bumps(12, 1);
  for (std::size_t item = 0; item < series.cases(); ++item) {
    std::vector<double> values(series.series(item).values().begin(), series.series(item).values().end());
    values.resize(48 - item);
    if (item % 3 == 0) values[10] = kNan;
    ragged.add_case(values, series.label(item));
  }
  TrainingOptions options = small_options();
  options.loss = "variance + inverse-consistent + 5 cross-entropy";
  TemporalAligner aligner(options, 1);
  aligner.fit(ragged);
  const Dataset aligned = aligner.transform(ragged);
  EXPECT_EQ(aligned.shortest(), 48U);
  EXPECT_EQ(aligned.longest(), 48U);
  for (const EpochRecord& record : aligner.history()) EXPECT_TRUE(std::isfinite(record.loss));
  EXPECT_GT(aligner.history().front().inverse_consistency, 0.0);
}

TEST(TemporalAligner, AlignsSeriesThatEndInMissingValues) {
  Dataset series = bumps(24, 1);
  for (std::size_t item = 0; item < series.cases(); item += 2) {
    const auto values = series.series(item).values();
    std::fill(values.begin() + static_cast<std::ptrdiff_t>(values.size() * 4 / 5), values.end(), kNan);
  }
  TrainingOptions options = small_options();
  options.loss = "variance";
  options.least_steps = 200;
  TemporalAligner aligner(options, 1);
  aligner.fit(series);
  EXPECT_LT(variance_of(aligner.transform(series)), 0.5 * variance_of(series));
}

TEST(TemporalAligner, BringsAlignedSeriesBackIntoTheirOwnTime) {
  TrainingOptions options = small_options();
  options.layers = 2;
  options.velocity_scale = 1.0;
  TemporalAligner aligner(options, 1);
  aligner.fit(bumps(12, 1));
  const Dataset series = bumps(4, 6);
  const Dataset back = aligner.inverse_transform(aligner.transform(series), series);
  constexpr double kInterpolation = 0.1;  // two linear interpolations of noisy bumps a few samples wide, peak 1
  for (std::size_t i = 0; i < series.values().size(); ++i) {
    EXPECT_NEAR(back.values()[i], series.values()[i], kInterpolation);
  }
  const Matrix there = aligner.warps(series);
  const Matrix again = aligner.warp_times(series, there, true);
  for (std::size_t i = 0; i < there.columns(); ++i) {
    EXPECT_NEAR(again(2, i), static_cast<double>(i) / 47.0, 1e-9);  // exact inverse, doubles
  }
}

TEST(TemporalAligner, TrainsWithoutLabels) {
  const Dataset labeled = bumps(12, 1);
  const Dataset unlabeled(labeled.block());
  TrainingOptions options = small_options();
  options.loss = "variance";
  TemporalAligner aligner(options, 1);
  aligner.fit(unlabeled);
  EXPECT_FALSE(aligner.transform(unlabeled).labeled());
  EXPECT_EQ(aligner.centroids().cases(), 1U);
}

TEST(TemporalAligner, KeepsTheMeansOfTheTrainingSeriesWithoutTheirWarps) {
  TemporalAligner aligner(small_options(), 1);
  const Dataset set = bumps(12, 1);
  aligner.fit(set);
  const Dataset means = class_mean_series(set);
  EXPECT_TRUE(std::ranges::equal(aligner.unwarped_centroids().values(), means.values()));
  EXPECT_EQ(aligner.unwarped_centroids().class_names(), means.class_names());
  EXPECT_FALSE(std::ranges::equal(aligner.centroids().values(), means.values()));
}

/// Whether one is the other times something plus something: the same in other units.
bool agree_in_other_units(std::span<const double> values, std::span<const double> other) {
  const auto [low, high] = std::ranges::minmax_element(values);
  const double factor = (other[high - values.begin()] - other[low - values.begin()]) / (*high - *low);
  const double offset = other[low - values.begin()] - factor * *low;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(std::abs(factor * values[i] + offset - other[i]) < 1e-9)) return false;
  }
  return true;
}

TEST(TemporalAligner, AlignsWithTheMemberThatOnlyAlignsAndComparesByThoseThatTellClassesApart) {
  const Dataset set = bumps(12, 1);
  TrainingOptions options = small_options();
  options.loss = "variance + cross-entropy | variance | variance + 2 cross-entropy on values and slopes";
  TemporalAligner aligner(options, 1);
  aligner.fit(set);
  const Dataset compared = aligner.comparison(set);
  const Dataset aligned = aligner.transform(set);
  ASSERT_EQ(compared.channels(), 3U) << "one and two features";
  EXPECT_EQ(compared.class_names(), set.class_names());
  for (std::size_t item = 0; item < set.cases(); ++item) {
    EXPECT_FALSE(agree_in_other_units(compared.series(item).channel(0), aligned.series(item).channel(0)));
  }
  EXPECT_TRUE(std::ranges::equal(aligner.comparison_centroids().values(), class_mean_series(compared).values()));
  EXPECT_TRUE(std::ranges::equal(aligner.centroids().values(), class_mean_series(aligned).values()));
}

TEST(TemporalAligner, ComparesByAllMembersWhereNoneTellsClassesApart) {
  const Dataset set = bumps(12, 1);
  TrainingOptions options = small_options();
  options.members = 2;
  options.loss = "variance";
  TemporalAligner aligner(options, 1);
  aligner.fit(set);
  const Dataset compared = aligner.comparison(set);
  const Dataset aligned = aligner.transform(set);
  ASSERT_EQ(compared.channels(), 2U);
  for (std::size_t item = 0; item < set.cases(); ++item) {
    EXPECT_TRUE(agree_in_other_units(compared.series(item).channel(0), aligned.series(item).channel(0)));
    EXPECT_FALSE(agree_in_other_units(compared.series(item).channel(1), aligned.series(item).channel(0)));
  }
}

TEST(TemporalAligner, HasMembersCountAlikeInWhatItCompares) {
  const Dataset set = bumps(20, 1);
  TrainingOptions options = small_options();
  options.loss = "variance + cross-entropy | variance + cross-entropy on values and slopes";
  TemporalAligner aligner(options, 1);
  aligner.fit(set);
  const Dataset compared = aligner.comparison(set);
  const Dataset means = class_mean_series(compared);
  std::vector<double> distances(2, 0.0);
  for (std::size_t item = 0; item < set.cases(); ++item) {
    for (std::size_t channel = 0; channel < 3; ++channel) {
      const auto own = compared.series(item).channel(channel);
      const auto mean = means.series(compared.labels()[item]).channel(channel);
      for (std::size_t i = 0; i < own.size(); ++i) {
        distances[channel == 0 ? 0 : 1] +=
            std::pow(own[i] - mean[i], 2) / static_cast<double>(own.size() * set.cases());
      }
    }
  }
  EXPECT_NEAR(distances[0], 1.0, 1e-9);
  EXPECT_NEAR(distances[1], 1.0, 1e-9);
}

TEST(TemporalAligner, ComparesProbabilitiesOfClassesBesideWhatAMemberRecognizesThemBy) {
  /// Probabilities add up to 1, and a squared difference, as a mean over 48 steps, counts four times.
  const double expected = std::sqrt(4.0 * 48.0);
  const Dataset set = bumps(12, 1);
  TrainingOptions options = small_options();
  options.loss = "variance + 5 recognition";
  TemporalAligner aligner(options, 1);
  aligner.fit(set);
  const Dataset compared = aligner.comparison(set);
  ASSERT_EQ(compared.channels(), 2U) << "the series, and the probabilities";
  for (std::size_t item = 0; item < set.cases(); ++item) {
    const auto probabilities = compared.series(item).channel(1);
    EXPECT_GE(std::min(probabilities[0], probabilities[1]), 0.0);
    EXPECT_NEAR(probabilities[0] + probabilities[1], expected, 1e-5 * expected);
    for (const double value : probabilities.subspan(2)) EXPECT_EQ(value, 0.0);
  }
  EXPECT_EQ(aligner.comparison_centroids().channels(), 2U);
}

TEST(TemporalAligner, FindsRoomForTheProbabilitiesOfMoreClassesThanTimeSteps) {
  BumpsOptions bumps_of;
  bumps_of.length = 12;
  bumps_of.classes = 15;
  const Dataset set = generate_bumps(45, 1, bumps_of).dataset;
  TrainingOptions options = small_options();
  options.loss = "variance + 5 recognition";
  options.epochs = 1;
  TemporalAligner aligner(options, 1);
  aligner.fit(set);
  EXPECT_EQ(aligner.comparison(set).channels(), 3U);
  const TemporaryDirectory folder;
  aligner.save(folder.file("model"));
  EXPECT_TRUE(std::ranges::equal(TemporalAligner::load(folder.file("model")).comparison(set).values(),
                                 aligner.comparison(set).values()));
}

TEST(TemporalAligner, TrainsOnlyWhatAlignsWhereThereAreNoClasses) {
  TrainingOptions options = small_options();
  options.loss = "variance + cross-entropy | variance | variance + cross-entropy";
  TemporalAligner aligner(options, 1);
  const Dataset unlabeled(bumps(12, 1).block());
  aligner.fit(unlabeled);
  for (const EpochRecord& record : aligner.history()) EXPECT_EQ(record.member, 1);
  const TemporaryDirectory folder;
  aligner.save(folder.file("model"));
  EXPECT_TRUE(std::ranges::equal(TemporalAligner::load(folder.file("model")).transform(unlabeled).values(),
                                 aligner.transform(unlabeled).values()));
}

TEST(TemporalAligner, ChoosesItsShrinkageOnHeldOutSeries) {
  TrainingOptions options = small_options();
  options.shrinkage = "validated";
  TemporalAligner aligner(options, 1);
  aligner.fit(bumps(18, 1));
  EXPECT_EQ(aligner.history().back().member, 3) << "one network, and three that held out a fold each";
  EXPECT_GE(aligner.shrinkage(), 0.0);
  EXPECT_LE(aligner.shrinkage(), 1.0);
  options.shrinkage = "0";
  TemporalAligner unwarped(options, 1);
  unwarped.fit(bumps(18, 1));
  const Dataset series = bumps(3, 5);
  const Dataset same = unwarped.transform(series);
  EXPECT_TRUE(std::ranges::equal(series.values(), same.values()));
}

TEST(TemporalAligner, ChoosesTheSameShrinkageInAnyUnits) {
  TrainingOptions options = small_options();
  options.loss = "variance + cross-entropy on values and slopes";
  options.shrinkage = "validated";
  std::set<double> chosen;
  for (const double unit : {1e-4, 1.0, 1e4}) {
    Dataset set = bumps(18, 1);
    for (double& value : set.values()) value *= unit;
    TemporalAligner aligner(options, 2);
    aligner.fit(set);
    chosen.insert(aligner.shrinkage());
  }
  EXPECT_EQ(chosen.size(), 1U);
}

TEST(TemporalAligner, CentersWarpsAtTheTimeAtWhichTheyAreUsed) {
  TrainingOptions options = small_options();
  options.loss = "variance";
  options.shrinkage = "0.5";
  TemporalAligner aligner(options, 1);
  const Dataset set = bumps(24, 1);
  aligner.fit(set);
  EXPECT_LT(distance_of_mean_warp(aligner.warps(set)), kNearlyCentered);
}

TEST(TemporalAligner, TrainsOnSeriesWithoutAnySlope) {
  Dataset set = bumps(12, 1);
  for (std::size_t i = 0; i < 48; ++i) {
    if (i % 12 != 0) set.series(3).values()[i] = kNan;  // values far from each other: nothing rises or falls
  }
  TrainingOptions options = small_options();
  options.loss = "warps on values and slopes | variance + cross-entropy on slopes | variance + recognition";
  TemporalAligner aligner(options, 1);
  aligner.fit(set);
  for (const EpochRecord& record : aligner.history()) EXPECT_TRUE(std::isfinite(record.loss));
}

TEST(TemporalAligner, DoesNotCompareRoundingWhereSeriesOfAClassAreEqual) {
  Dataset set;
  for (const auto& [label, height] : {std::pair{"a", 1.0}, {"b", 2.0}}) {
    std::vector<double> values;
    for (int i = 0; i < 48; ++i) values.push_back(height * std::sin(0.3 * i));
    for (int copy = 0; copy < 3; ++copy) set.add_case(values, label);
  }
  TrainingOptions options = small_options();
  options.loss = "variance + cross-entropy | variance + cross-entropy on slopes";
  TemporalAligner aligner(options, 1);
  aligner.fit(set);
  for (const double value : aligner.comparison(set).values()) EXPECT_LT(std::abs(value), 1e3);
}

TEST(TemporalAligner, RefusesWhatItCannotUse) {
  TemporalAligner aligner(small_options(), 1);
  EXPECT_THROW((void)aligner.transform(bumps(2, 1)), std::invalid_argument);
  EXPECT_THROW(aligner.fit(Dataset(1)), std::invalid_argument);
  Dataset infinite(1);
  infinite.add_case(std::vector<double>(20, std::numeric_limits<double>::infinity()));
  EXPECT_THROW(aligner.fit(infinite), std::invalid_argument);
  Dataset gap = bumps(2, 1);
  gap.add_case(std::vector<double>(48, kNan), "1");
  EXPECT_EQ(message_of([&] { aligner.fit(gap); }), "case 2: expected at least one value, got none");
  Dataset brief(1);
  brief.add_case(std::vector<double>(7, 1.0));
  EXPECT_THROW(aligner.fit(brief), std::invalid_argument);
  aligner.fit(bumps(12, 1));
  EXPECT_EQ(message_of([&] { (void)aligner.transform(Dataset(2)); }), "series: expected 1 channel, got 2");
  EXPECT_EQ(message_of([&] { (void)aligner.transform(gap); }), "case 2: expected at least one value, got none");
  EXPECT_EQ(message_of([&] { (void)aligner.transform(infinite); }),
            "series: expected finite or missing values, got an infinite one");
}

TEST(ModelFile, GivesBackTheWholeAligner) {
  const TemporaryDirectory folder;
  TrainingOptions options = small_options();
  options.members = 2;
  options.shrinkage = "0.75";
  options.loss = "variance + cross-entropy on slopes | warps on values and slopes";
  TemporalAligner aligner(options, 3);
  aligner.fit(bumps(12, 1));
  aligner.save(folder.file("model"));
  const TemporalAligner loaded = TemporalAligner::load(folder.file("model"));
  const Dataset series = bumps(5, 9);
  EXPECT_TRUE(std::ranges::equal(aligner.transform(series).values(), loaded.transform(series).values()));
  EXPECT_TRUE(std::ranges::equal(aligner.comparison(series).values(), loaded.comparison(series).values()));
  EXPECT_EQ(aligner.options(), loaded.options());
  EXPECT_EQ(aligner.history(), loaded.history());
  EXPECT_EQ(loaded.seed(), 3U);
  EXPECT_EQ(loaded.shrinkage(), 0.75);
  EXPECT_EQ(aligner.centroids().class_names(), loaded.centroids().class_names());
  EXPECT_TRUE(std::ranges::equal(aligner.centroids().values(), loaded.centroids().values()));
  EXPECT_TRUE(std::ranges::equal(aligner.comparison_centroids().values(), loaded.comparison_centroids().values()));
  EXPECT_TRUE(std::ranges::equal(aligner.unwarped_centroids().values(), loaded.unwarped_centroids().values()));
  EXPECT_NE(read_tensor_file(folder.file("model")).find("members/1/vertex_basis"), nullptr);
}

class DamagedModel : public ::testing::Test {
 protected:
  void SetUp() override {
    TrainingOptions options = small_options();
    options.widths = {2};
    options.kernels = {3};
    options.hidden = 2;
    options.cells = 3;
    options.epochs = 1;
    TemporalAligner aligner(options, 3);
    BumpsOptions brief;
    brief.length = 12;
    brief.classes = 2;
    aligner.fit(generate_bumps(6, 1, brief).dataset);
    aligner.save(folder_.file("model"));
    bytes_ = content_of(folder_.file("model"));
  }

  void expect_refused(const std::string& bytes, const std::string& what) const {
    std::ofstream(folder_.file("damaged"), std::ios::binary) << bytes;
    EXPECT_THROW((void)TemporalAligner::load(folder_.file("damaged")), FileError) << what;
  }

  TemporaryDirectory folder_;
  std::string bytes_;
};

TEST_F(DamagedModel, IsRefusedWhereverItIsCutShort) {
  for (std::size_t size = 0; size < bytes_.size(); ++size) expect_refused(bytes_.substr(0, size), std::to_string(size));
}

TEST_F(DamagedModel, IsRefusedWhicheverBitsFlip) {
  constexpr int kFlips = 10'000;
  std::uint64_t state = 20261116;
  int accepted = 0;
  for (int flip = 0; flip < kFlips; ++flip) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    std::string damaged = bytes_;
    const std::size_t where = static_cast<std::size_t>(state >> 20U) % damaged.size();
    damaged[where] = static_cast<char>(damaged[where] ^ (1U << ((state >> 16U) % 8U)));
    std::ofstream(folder_.file("damaged"), std::ios::binary) << damaged;
    try {
      (void)TemporalAligner::load(folder_.file("damaged"));
      ++accepted;
    } catch (const FileError&) {
    }
  }
  // Blanks between the parts of the header mean nothing, and one may become a tab.
  EXPECT_LE(accepted, kFlips / 100);
}

TEST_F(DamagedModel, OfAnotherFormatOrANewerVersionIsNamed) {
  TensorFile file = read_tensor_file(folder_.file("model"));
  file.metadata["format"] = "something else";
  write_tensor_file(folder_.file("foreign"), file);
  EXPECT_NE(message_of([&] { (void)TemporalAligner::load(folder_.file("foreign")); }).find("\"something else\""),
            std::string::npos);
  file = read_tensor_file(folder_.file("model"));
  std::string& model = file.metadata["model"];
  model.replace(model.find("\"format_version\":3"), 18, "\"format_version\":4");
  write_tensor_file(folder_.file("newer"), file);
  EXPECT_NE(message_of([&] { (void)TemporalAligner::load(folder_.file("newer")); }).find("a newer diffeo wrote it"),
            std::string::npos);
}

/// Models that somebody made up: whole, with the right digest.
class HostileModel : public DamagedModel {
 protected:
  void SetUp() override {
    DamagedModel::SetUp();
    file_ = read_tensor_file(folder_.file("model"));
  }

  /// The description with one part replaced by another.
  std::string refusal_with(const std::string& part, const std::string& by) {
    TensorFile hostile = file_;
    std::string& model = hostile.metadata["model"];
    const std::size_t at = model.find(part);
    EXPECT_NE(at, std::string::npos) << part << " in " << model;
    if (at != std::string::npos) model.replace(at, part.size(), by);
    return refusal_of(std::move(hostile));
  }
  std::string refusal_of(TensorFile hostile) const {
    add_digest(hostile);
    write_tensor_file(folder_.file("hostile"), hostile);
    return message_of([&] { (void)TemporalAligner::load(folder_.file("hostile")); });
  }
  void expect_refused_for(const std::string& refusal, const std::string& what) const {
    EXPECT_NE(refusal.find(what), std::string::npos) << "expected " << what << ", got " << refusal;
  }

  TensorFile file_;
};

TEST_F(HostileModel, WithMoreWeightsThanTheFileHasIsRefusedBeforeItIsMade) {
  const auto start = std::chrono::steady_clock::now();
  for (const std::string widths : {"16384", "65536"}) {
    expect_refused_for(refusal_with("\"hidden\":\"2\"", "\"hidden\":\"" + widths + "\""), "numbers for a network");
    expect_refused_for(refusal_with("\"widths\":\"2\"", "\"widths\":\"" + widths + "\""), "numbers for a network");
  }
  expect_refused_for(refusal_with("\"cells\":\"3\"", "\"cells\":\"4096\""), "numbers for a network");
  expect_refused_for(refusal_with("\"layers\":\"1\"", "\"layers\":\"64\""), "numbers for a network");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST_F(HostileModel, WithNumbersOutOfRangeIsRefused) {
  expect_refused_for(refusal_with("\"seed\":3", "\"seed\":-1"), "seed: expected a whole number from 0, got -1");
  expect_refused_for(refusal_with("\"shrinkage\":1.0", "\"shrinkage\":1e300"),
                     "shrinkage: expected 0 to 1, got 1e+300");
  expect_refused_for(refusal_with("\"channels\":1", "\"channels\":4294967296"), "channels: expected 1 to");
  expect_refused_for(refusal_with("\"method_steps\":\"8\"", "\"method_steps\":\"1000000\""), "method_steps: expected");
  expect_refused_for(refusal_with("\"length\":12", "\"length\":0"), "length: expected");
}

TEST_F(HostileModel, WithNumbersThatAreNotFiniteIsRefused) {
  for (NamedTensor& tensor : file_.tensors) {
    if (tensor.name == "history" || tensor.dtype == DType::i64 || tensor.bytes.empty()) continue;
    const NamedTensor whole = tensor;
    const bool single = tensor.dtype == DType::f32;
    const float infinite_float = std::numeric_limits<float>::infinity();
    const double infinite = std::numeric_limits<double>::infinity();
    std::memcpy(tensor.bytes.data(), single ? static_cast<const void*>(&infinite_float) : &infinite, single ? 4 : 8);
    expect_refused_for(refusal_of(file_), tensor.name + ": expected finite values");
    tensor = whole;
  }
}

TEST(TorchThreads, OfOneThreadAreNotWhatAnotherSets) {
  int after = 0;
  std::thread([&] {
    set_torch_threads(1);
    std::thread([] { at::set_num_threads(3); }).join();
    at::parallel_for(0, 1, 1, [](std::int64_t, std::int64_t) {});
    after = at::get_num_threads();
  }).join();
  EXPECT_EQ(after, 1);
}

}  // namespace temporal_aligner_test
}  // namespace diffeo
