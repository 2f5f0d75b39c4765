#include "diffeo/nearest_centroid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "diffeo/dtw.hpp"
#include "diffeo/generate.hpp"
#include "support/message_of.hpp"

namespace diffeo {
namespace nearest_centroid_test {

using testing::message_of;
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr double kRounding = 16 * std::numeric_limits<double>::epsilon();  // of means and squares of a few values

struct Labeled {
  std::vector<double> values;
  std::string label;
};

Dataset of(const std::vector<Labeled>& cases, std::size_t channels = 1) {
  Dataset set(channels);
  for (const Labeled& each : cases) set.add_case(each.values, each.label);
  return set;
}

Dataset without_labels(const std::vector<std::vector<double>>& cases, std::size_t channels = 1) {
  Dataset set(channels);
  for (const auto& values : cases) set.add_case(values);
  return set;
}

NearestCentroid fitted(const Dataset& training, CentroidMethod method = MeanCentroids{},
                       NearestCentroidOptions options = {}) {
  NearestCentroid classifier(std::move(method), options);
  classifier.fit(training);
  return classifier;
}

void expect_values(std::span<const double> values, const std::vector<double>& expected) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (std::isnan(expected[j])) {
      EXPECT_TRUE(std::isnan(values[j])) << j;
    } else {
      EXPECT_NEAR(values[j], expected[j], kRounding * std::max(1.0, std::fabs(expected[j]))) << j;
    }
  }
}

using Numbers = std::vector<std::size_t>;

const Dataset kTwoLevels = of({{{0, 0, 2}, "low"}, {{9, 9, 9}, "high"}, {{2, 0, 2}, "low"}});

TEST(NearestCentroid, HasTheMeanOfEveryClassAsItsCentroid) {
  const NearestCentroid classifier = fitted(kTwoLevels);
  EXPECT_EQ(classifier.class_names(), (std::vector<std::string>{"low", "high"}));
  expect_values(classifier.centroids().values(), {1, 0, 2, 9, 9, 9});
}

TEST(NearestCentroid, PredictsTheClassOfTheNearestCentroid) {
  const NearestCentroid classifier = fitted(kTwoLevels);
  const Dataset series = without_labels({{0, 0, 0}, {8, 8, 8}, {1, 9, 9}});
  EXPECT_EQ(classifier.predict(series), (Numbers{0, 1, 1}));
  const Matrix distances = classifier.squared_distances(series);
  EXPECT_NEAR(distances(0, 0), 5.0 / 3, kRounding);
  EXPECT_NEAR(distances(2, 1), 64.0 / 3, 64 * kRounding);
}

TEST(NearestCentroid, GivesTiesToTheFirstClass) {
  EXPECT_EQ(fitted(of({{{0}, "b"}, {{2}, "a"}})).predict(without_labels({{1}})), Numbers{0});
  EXPECT_EQ(fitted(of({{{2}, "a"}, {{0}, "b"}})).predict(without_labels({{1}})), Numbers{0});
}

TEST(NearestCentroid, LeavesMissingValuesOutOfMeansAndDifferences) {
  const NearestCentroid classifier =
      fitted(of({{{1, kMissing, kMissing}, "a"}, {{3, 5, kMissing}, "a"}, {{9, 9, 9}, "b"}}));
  expect_values(classifier.centroids().series(0).values(), {2, 5, kMissing});
  const Matrix distances = classifier.squared_distances(without_labels({{3, kMissing, 8}, {kMissing, 4, 4}}));
  EXPECT_NEAR(distances(0, 0), 1, kRounding);              // one sample in common
  EXPECT_NEAR(distances(0, 1), 37.0 / 2, 37 * kRounding);  // two
  EXPECT_NEAR(distances(1, 0), 1, kRounding);
}

TEST(NearestCentroid, IsInfinitelyFarWhereNoSampleIsInCommon) {
  const NearestCentroid classifier = fitted(of({{{1, kMissing}, "a"}, {{9, 9}, "b"}}));
  const Dataset series = without_labels({{kMissing, 1}});
  EXPECT_TRUE(std::isinf(classifier.squared_distances(series)(0, 0)));
  EXPECT_EQ(classifier.predict(series), Numbers{1});
  EXPECT_EQ(classifier.probabilities(series)(0, 1), 1.0);
  EXPECT_EQ(message_of([&] {
              (void)classifier.predict(without_labels({{1, 1}, {kMissing, kMissing}}));
            }),
            "case 1: expected a sample in common with a centroid, got none");
}

TEST(NearestCentroid, ComparesDifferentLengthsInRelativeTime) {
  const NearestCentroid classifier = fitted(of({{{0, 2}, "up"}, {{0, 1, 2, 3, 4}, "up"}, {{4, 2, 0}, "down"}}));
  EXPECT_EQ(classifier.centroids().longest(), 5u);
  expect_values(classifier.centroids().values(), {0, 0.75, 1.5, 2.25, 3, 4, 3, 2, 1, 0});
  EXPECT_EQ(classifier.predict(without_labels({{3, 0}, {0, 1, 1, 2, 2, 3, 3}, {9}})), (Numbers{1, 0, 1}));
}

TEST(NearestCentroid, HasCentroidsOfTheLengthAskedFor) {
  EXPECT_EQ(fitted(kTwoLevels, MeanCentroids{7}).centroids().longest(), 7u);
  DbaOptions dba;
  dba.length = 5;
  EXPECT_EQ(fitted(kTwoLevels, dba).centroids().longest(), 5u);
  SoftDtwBarycenterOptions soft;
  soft.length = 4;
  EXPECT_EQ(fitted(kTwoLevels, soft).centroids().longest(), 4u);
}

TEST(NearestCentroid, WithOneClassPredictsIt) {
  const NearestCentroid classifier = fitted(of({{{1, 2}, "only"}, {{3, 4}, "only"}}));
  const Dataset series = without_labels({{100, -100}});
  EXPECT_EQ(classifier.predict(series), Numbers{0});
  EXPECT_EQ(classifier.probabilities(series)(0, 0), 1.0);
}

TEST(NearestCentroid, KnowsNoClassWithoutTrainingCases) {
  Dataset training;
  training.declare_class("rare");
  training.add_case(std::vector{0.0, 1.0}, "a");
  training.declare_class("rarer");
  training.add_case(std::vector{5.0, 6.0}, "b");
  const NearestCentroid classifier = fitted(training);
  EXPECT_EQ(classifier.class_names(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(classifier.predict(without_labels({{5, 5}})), Numbers{1});
  EXPECT_EQ(classifier.score(training), 1.0);
}

TEST(NearestCentroid, ScoresByTheNamesOfClassesWhateverTheirOrder) {
  const NearestCentroid classifier = fitted(kTwoLevels);
  EXPECT_EQ(classifier.score(of({{{9, 9, 9}, "high"}, {{0, 0, 0}, "low"}})), 1.0);
  EXPECT_EQ(classifier.score(of({{{9, 9, 9}, "unheard"}, {{0, 0, 0}, "low"}, {{8, 8, 8}, "low"}, {{0, 0, 0}, "low"}})),
            0.5);
}

TEST(NearestCentroid, HasProbabilitiesThatSumToOneAndAreLargestForThePrediction) {
  const Dataset training = generate_cbf(30, 4), series = generate_cbf(20, 5);
  const NearestCentroid classifier = fitted(training);
  const Matrix probabilities = classifier.probabilities(series);
  const Numbers predicted = classifier.predict(series);
  for (std::size_t item = 0; item < 20; ++item) {
    const auto row = probabilities.row(item);
    EXPECT_NEAR(row[0] + row[1] + row[2], 1, kRounding);
    EXPECT_EQ(static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin()), predicted[item]);
    EXPECT_LT(*std::max_element(row.begin(), row.end()), 1);
  }
}

TEST(NearestCentroid, HasProbabilitiesAsTheFormulaSays) {
  const NearestCentroid classifier = fitted(of({{{0}, "a"}, {{2}, "a"}, {{9}, "b"}, {{13}, "b"}}));
  const double spread = (1 + 1 + 4 + 4) / 4.0;
  const double to_a = std::exp(-(4 - 1) * (4 - 1) / (2 * spread)), to_b = std::exp(-(4 - 11) * (4 - 11) / (2 * spread));
  EXPECT_NEAR(classifier.probabilities(without_labels({{4}}))(0, 1), to_b / (to_a + to_b), kRounding);
}

TEST(NearestCentroid, HasTheSameProbabilitiesInEveryUnit) {
  Dataset training = generate_cbf(12, 4), series = generate_cbf(6, 5);
  const Matrix before = fitted(training).probabilities(series);
  for (double& value : training.values()) value *= 1024;  // a power of two: rounds nothing
  for (double& value : series.values()) value *= 1024;
  EXPECT_TRUE(std::ranges::equal(fitted(training).probabilities(series).values(), before.values()));
}

TEST(NearestCentroid, IsCertainWhereEveryClassIsASingleSeries) {
  const NearestCentroid classifier = fitted(of({{{0}, "a"}, {{2}, "b"}}));
  const Matrix probabilities = classifier.probabilities(without_labels({{0.9}, {1}}));
  expect_values(probabilities.values(), {1, 0, 1, 0});
}

TEST(NearestCentroid, HasTheBarycentersOfTheClassesAsCentroids) {
  const Dataset training = generate_cbf(12, 7, 40);
  const auto cases = training.cases_by_class();
  DbaOptions dba_options;
  dba_options.max_iterations = 4;
  SoftDtwBarycenterOptions soft_options;
  soft_options.gamma = 0.3;
  const NearestCentroid by_dba = fitted(training, dba_options), by_soft = fitted(training, soft_options);
  for (std::size_t number = 0; number < 3; ++number) {
    const Dataset one = training.subset(cases[number]);
    EXPECT_TRUE(std::ranges::equal(by_dba.centroids().series(number).values(), dba(one, dba_options).values));
    EXPECT_TRUE(
        std::ranges::equal(by_soft.centroids().series(number).values(), soft_dtw_barycenter(one, soft_options).values));
  }
}

TEST(NearestCentroid, MeasuresByDtwWhereAsked) {
  NearestCentroidOptions options;
  options.distance = CentroidDistance::dtw;
  const NearestCentroid classifier =
      fitted(of({{{0, 0, 1, 0, 0}, "peak"}, {{0, 0, 0, 0, 0}, "flat"}}), DbaOptions{}, options);
  const Dataset series = without_labels({{0, 0, 0, 0, 1, 0}});
  EXPECT_EQ(classifier.squared_distances(series)(0, 0), 0.0);
  EXPECT_NEAR(classifier.squared_distances(series)(0, 1), 1.0, kRounding);
  options.window.radius = 0;
  const NearestCentroid narrow = fitted(of({{{0, 1, 0, 0}, "peak"}, {{0, 0, 0, 0}, "flat"}}), DbaOptions{}, options);
  EXPECT_NEAR(narrow.squared_distances(without_labels({{0, 0, 1, 0}}))(0, 0), 2.0, kRounding);
}

TEST(NearestCentroid, MeasuresByDefaultAsItsCentroidsAreAveraged) {
  const Dataset training = of({{{0, 0, 1, 0, 0}, "peak"}, {{0, 0, 0, 0, 0}, "flat"}});
  const Dataset late = without_labels({{0, 0, 0, 1, 0}});
  EXPECT_EQ(fitted(training, DbaOptions{}).squared_distances(late)(0, 0), 0.0);
  SoftDtwBarycenterOptions soft;
  soft.max_iterations = 0;
  EXPECT_EQ(fitted(training, soft).squared_distances(late)(0, 0), 0.0);
  EXPECT_NEAR(fitted(training).squared_distances(late)(0, 0), 2.0 / 5.0, kRounding);
  NearestCentroidOptions euclidean;
  euclidean.distance = CentroidDistance::euclidean;
  EXPECT_NEAR(fitted(training, DbaOptions{}, euclidean).squared_distances(late)(0, 0), 2.0 / 5.0, kRounding);
}

TEST(NearestCentroid, LeavesTheRefusalOfMissingValuesToDtw) {
  const Dataset gappy = of({{{1, kMissing, 2}, "a"}, {{1, 2, 3}, "a"}});
  EXPECT_THROW((void)fitted(gappy, DbaOptions{}), std::invalid_argument);
  EXPECT_THROW((void)fitted(gappy, SoftDtwBarycenterOptions{}), std::invalid_argument);
}

/// Turns every series until its largest value comes first; remembers how often it was fitted.
class PeakFirst final : public Aligner {
 public:
  void fit(const Dataset& training) override {
    ++fits;
    length_ = training.longest();
  }
  [[nodiscard]] Dataset transform(const Dataset& series) const override {
    Dataset result = series;
    for (std::size_t item = 0; item < series.cases(); ++item) {
      const auto values = result.series(item).values();
      std::rotate(values.begin(), std::max_element(values.begin(), values.end()), values.end());
    }
    return result;
  }
  int fits = 0;

 private:
  std::size_t length_ = 0;
};

TEST(NearestCentroid, AveragesAndComparesWhatTheAlignerMakesOfTheSeries) {
  const auto aligner = std::make_shared<PeakFirst>();
  const NearestCentroid classifier =
      fitted(of({{{0, 0, 5, 1}, "one"}, {{5, 3, 0, 0}, "one"}, {{0, 5, 0, 3}, "two"}}), aligner);
  EXPECT_EQ(aligner->fits, 1);
  expect_values(classifier.centroids().values(), {5, 2, 0, 0, 5, 0, 3, 0});
  EXPECT_EQ(classifier.predict(without_labels({{0, 0, 0, 5}, {3, 0, 5, 0}, {2, 0, 0, 5}})), (Numbers{0, 1, 0}));
  EXPECT_EQ(aligner->fits, 1);
}

TEST(NearestCentroid, FitsAnew) {
  NearestCentroid classifier;
  classifier.fit(kTwoLevels);
  classifier.fit(of({{{1, 2}, "x"}}, 2));
  EXPECT_EQ(classifier.class_names(), std::vector<std::string>{"x"});
  EXPECT_EQ(classifier.predict(without_labels({{1, 2}}, 2)), Numbers{0});
}

TEST(NearestCentroid, SumsOverChannels) {
  const NearestCentroid classifier = fitted(of({{{0, 0, 8, 8}, "a"}, {{8, 8, 0, 0}, "b"}}, 2));
  EXPECT_EQ(classifier.predict(without_labels({{0, 0, 0, 1}, {1, 0, 0, 0}, {8, 7, 1, 0}}, 2)), (Numbers{0, 1, 1}));
}

TEST(NearestCentroid, GivesTheSameBitsForAnyNumberOfThreads) {
  const Dataset training = generate_cbf(60, 1), series = generate_cbf(301, 2);
  for (const CentroidDistance distance : {CentroidDistance::euclidean, CentroidDistance::dtw}) {
    const Matrix expected = fitted(training, MeanCentroids{}, {distance, {}, 1}).squared_distances(series);
    for (const std::size_t threads : {2u, 5u}) {
      const Matrix distances = fitted(training, MeanCentroids{}, {distance, {}, threads}).squared_distances(series);
      EXPECT_TRUE(std::ranges::equal(distances.values(), expected.values()));
    }
  }
}

TEST(NearestCentroid, OfNoSeriesPredictsNothing) { EXPECT_TRUE(fitted(kTwoLevels).predict(Dataset(1)).empty()); }

TEST(NearestCentroid, RefusesTrainingWithoutCasesOrLabels) {
  EXPECT_EQ(message_of([] { (void)fitted(Dataset(1)); }), "training: expected at least one case, got none");
  EXPECT_EQ(message_of([] {
              (void)fitted(without_labels({{1, 2}, {3, 4}}));
            }),
            "training: expected labeled cases, got 2 without labels");
}

TEST(NearestCentroid, RefusesScoringWithoutCasesOrLabels) {
  const NearestCentroid classifier = fitted(kTwoLevels);
  EXPECT_EQ(message_of([&] { (void)classifier.score(Dataset(1)); }), "series: expected at least one case, got none");
  EXPECT_EQ(message_of([&] {
              (void)classifier.score(without_labels({{1, 2, 3}}));
            }),
            "series: expected labeled cases, got 1 without labels");
}

TEST(NearestCentroid, RefusesAnotherNumberOfChannels) {
  EXPECT_EQ(message_of([] {
              (void)fitted(kTwoLevels).predict(without_labels({{1, 2, 3, 4}}, 2));
            }),
            "series: expected 1 channel as in training, got 2");
}

TEST(NearestCentroid, RefusesInfiniteValues) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(message_of([&] {
              (void)fitted(of({{{1, -infinity}, "a"}}));
            }),
            "case 0: expected finite or missing values, got -inf");
  EXPECT_THROW((void)fitted(kTwoLevels).predict(without_labels({{1, infinity, 2}})), std::invalid_argument);
}

TEST(NearestCentroid, RefusesToPredictBeforeFit) {
  const NearestCentroid classifier;
  EXPECT_EQ(message_of([&] { (void)classifier.predict(kTwoLevels); }),
            "NearestCentroid: expected a call of fit before any other, got none");
  EXPECT_THROW((void)classifier.centroids(), std::invalid_argument);
}

TEST(NearestCentroid, TakesCentroidsThatWereMadeBefore) {
  const NearestCentroid original = fitted(kTwoLevels);
  const NearestCentroid copy = NearestCentroid::from_centroids(original.centroids());
  EXPECT_EQ(copy.predict(kTwoLevels), original.predict(kTwoLevels));
  EXPECT_EQ(copy.class_names(), original.class_names());
  EXPECT_EQ(copy.score(kTwoLevels), 1.0);
  EXPECT_EQ(message_of([&] { (void)copy.probabilities(kTwoLevels); }),
            "NearestCentroid: expected a call of fit before probabilities, got centroids alone");
}

TEST(NearestCentroid, HasProbabilitiesOfGivenCentroidsWhereTheirSpreadIsGiven) {
  const NearestCentroid original = fitted(kTwoLevels);
  ASSERT_TRUE(original.spread().has_value());
  const NearestCentroid copy = NearestCentroid::from_centroids(original.centroids(), nullptr, {}, original.spread());
  EXPECT_TRUE(std::ranges::equal(copy.probabilities(kTwoLevels).values(), original.probabilities(kTwoLevels).values()));
  EXPECT_THROW((void)NearestCentroid::from_centroids(original.centroids(), nullptr, {}, -1.0), std::invalid_argument);
}

TEST(NearestCentroid, ComparesGivenCentroidsWithWhatTheAlignerMakesOfASeries) {
  /// Turns series upside down.
  class Negating final : public Aligner {
   public:
    void fit(const Dataset&) override { FAIL() << "centroids are there already"; }
    [[nodiscard]] Dataset transform(const Dataset& series) const override {
      Dataset result = series;
      for (double& value : result.values()) value = -value;
      return result;
    }
  };
  const Dataset centroids = of({{{1, 1}, "up"}, {{-1, -1}, "down"}});
  const auto classifier = NearestCentroid::from_centroids(centroids, std::make_shared<Negating>());
  EXPECT_EQ(classifier.predict(without_labels({{1, 1}, {-1, -1}})), (Numbers{1, 0}));
}

/// Leaves series as they are, and compares them upside down too.
class Doubling final : public Aligner {
 public:
  void fit(const Dataset&) override {}
  [[nodiscard]] Dataset transform(const Dataset& series) const override { return series; }
  [[nodiscard]] Dataset comparison(const Dataset& series) const override {
    Dataset result(2);
    for (std::size_t item = 0; item < series.cases(); ++item) {
      const auto values = series.series(item).values();
      std::vector<double> both(values.begin(), values.end());
      for (const double value : values) both.push_back(-3.0 * value);
      series.labeled() ? result.add_case(both, series.label(item)) : result.add_case(both);
    }
    return result;
  }
};

TEST(NearestCentroid, GoesByWhatAnAlignerComparesAndShowsWhatItAligns) {
  NearestCentroid classifier(std::make_shared<Doubling>());
  classifier.fit(kTwoLevels);
  EXPECT_EQ(classifier.centroids().channels(), 1U);
  EXPECT_TRUE(std::ranges::equal(classifier.centroids().values(), fitted(kTwoLevels).centroids().values()));
  const Matrix plain = fitted(kTwoLevels).squared_distances(kTwoLevels);
  const Matrix doubled = classifier.squared_distances(kTwoLevels);
  for (std::size_t i = 0; i < plain.values().size(); ++i) {
    EXPECT_DOUBLE_EQ(doubled.values()[i], 5.0 * plain.values()[i]);  // the mean of 1 and 9 times the square
  }
}

TEST(NearestCentroid, RefusesCentroidsThatAreNotWhatTheAlignerCompares) {
  const Dataset aligned_means = fitted(kTwoLevels).centroids();
  const auto classifier = NearestCentroid::from_centroids(aligned_means, std::make_shared<Doubling>());
  EXPECT_EQ(message_of([&] { (void)classifier.predict(kTwoLevels); }),
            "centroids: expected 2 channels as what is compared has, got 1");
}

TEST(NearestCentroid, RefusesCentroidsThatAreNotOnePerClass) {
  EXPECT_THROW((void)NearestCentroid::from_centroids(Dataset()), std::invalid_argument);
  EXPECT_THROW((void)NearestCentroid::from_centroids(without_labels({{1, 2}})), std::invalid_argument);
  EXPECT_THROW((void)NearestCentroid::from_centroids(of({{{1, 2}, "a"}, {{1}, "b"}})), std::invalid_argument);
  EXPECT_EQ(message_of([] { (void)NearestCentroid::from_centroids(kTwoLevels); }),
            "centroids: expected one of every class, in the order of the classes, got 3 of 2 classes");
}

TEST(NearestCentroid, RefusesNoAlignerAndAStartThatAllClassesWouldShare) {
  EXPECT_THROW(NearestCentroid(std::shared_ptr<Aligner>()), std::invalid_argument);
  DbaOptions options;
  options.initial = {1, 2, 3};
  EXPECT_THROW(NearestCentroid{options}, std::invalid_argument);
}

}  // namespace nearest_centroid_test
}  // namespace diffeo
