#include "diffeo/dataset.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/message_of.hpp"

namespace diffeo {
namespace dataset_test {

using testing::message_of;
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

TEST(Dataset, HoldsCasesOfDifferentLengthsAsTheyWereGiven) {
  Dataset set(2);
  set.add_case(std::vector{1.0, 2.0, 3.0, 4.0});
  set.add_case(std::vector{5.0, 6.0});
  ASSERT_EQ(set.cases(), 2u);
  EXPECT_EQ(set.length(0), 2u);
  EXPECT_EQ(set.length(1), 1u);
  EXPECT_EQ(set.series(0).channel(1)[0], 3.0);
  EXPECT_EQ(set.series(1).channel(1)[0], 6.0);
  EXPECT_EQ(set.shortest(), 1u);
  EXPECT_EQ(set.longest(), 2u);
  EXPECT_FALSE(set.equally_long());
}

TEST(Dataset, KeepsClassNamesInTheOrderInWhichTheyCame) {
  Dataset set;
  set.declare_class("rare");
  for (const char* label : {"b", "a", "b"}) set.add_case(std::vector{1.0}, label);
  EXPECT_EQ(set.class_names(), (std::vector<std::string>{"rare", "b", "a"}));
  EXPECT_EQ(set.label(1), "a");
  EXPECT_EQ(set.cases_by_class(), (std::vector<std::vector<std::size_t>>{{}, {0, 2}, {1}}));
  EXPECT_EQ(set.groups(), (std::vector<std::vector<std::size_t>>{{0, 2}, {1}}));
}

TEST(Dataset, IsOneGroupWithoutLabels) {
  Dataset set;
  for (const double value : {1.0, 2.0, 3.0}) set.add_case(std::vector{value});
  EXPECT_EQ(set.groups(), (std::vector<std::vector<std::size_t>>{{0, 1, 2}}));
}

TEST(Dataset, IsAValue) {
  Dataset set;
  set.add_case(std::vector{1.0, 2.0}, "a");
  Dataset copy = set;
  copy.series(0).data[0] = 9.0;
  copy.add_case(std::vector{3.0}, "b");
  EXPECT_EQ(set.values()[0], 1.0);
  EXPECT_EQ(set.cases(), 1u);
  EXPECT_EQ(set.class_names().size(), 1u);
}

TEST(Dataset, IsOneBlockWhereLengthsAreEqual) {
  const std::vector<double> values{1, 2, 3, 4, 5, 6, 7, 8};
  const Dataset set{Series<const double>(values.data(), 2, 2, 2)};
  EXPECT_EQ(set.block().values(1, 1)[1], 8.0);
  EXPECT_FALSE(set.labeled());
}

TEST(Dataset, TakesOverValuesOfCasesOneAfterTheOther) {
  std::vector<double> values{1, 2, 3, 4, 5, 6};
  const double* const first = values.data();
  const Dataset set(2, std::move(values), std::vector<std::size_t>{2, 1});
  EXPECT_EQ(set.values().data(), first);
  EXPECT_EQ(set.length(0), 2u);
  EXPECT_EQ(set.series(1).channel(1)[0], 6.0);
}

TEST(Dataset, RefusesLengthsThatDoNotFitTheValues) {
  EXPECT_EQ(message_of([&] {
              Dataset(2, {1.0, 2.0, 3.0}, std::vector<std::size_t>{1});
            }),
            "values: expected 2, channels times the lengths, got 3");
  EXPECT_EQ(message_of([&] {
              Dataset(1, {1.0}, std::vector<std::size_t>{1, 0});
            }),
            "lengths: expected at least 1, got 0 for case 1");
}

TEST(Dataset, HasNoBlockWhereLengthsDiffer) {
  Dataset set;
  set.add_case(std::vector{1.0, 2.0});
  set.add_case(std::vector{1.0});
  EXPECT_EQ(message_of([&] { (void)set.block(); }), "series: expected equal lengths, got 1 to 2");
}

TEST(Dataset, RefusesCasesThatDoNotFit) {
  Dataset set(2);
  EXPECT_EQ(message_of([&] {
              set.add_case(std::vector{1.0, 2.0, 3.0});
            }),
            "case 0: expected a multiple of 2 values for 2 channels, got 3");
  EXPECT_THROW(set.add_case(std::vector<double>{}), std::invalid_argument);
  set.add_case(std::vector{1.0, 2.0}, "a");
  EXPECT_EQ(message_of([&] {
              set.add_case(std::vector{1.0, 2.0});
            }),
            "case 1: expected a label as those before it have, got none");
  EXPECT_EQ(set.cases(), 1u);
  EXPECT_THROW(Dataset(0), std::invalid_argument);
}

TEST(Dataset, RefusesALabelWhereTheFirstCaseHadNone) {
  Dataset set;
  set.add_case(std::vector{1.0});
  EXPECT_EQ(message_of([&] { set.add_case(std::vector{1.0}, "a"); }),
            "case 1: expected no label as those before it, got 'a'");
}

TEST(Dataset, SubsetKeepsClassesAndOrder) {
  Dataset set;
  set.add_case(std::vector{1.0}, "a");
  set.add_case(std::vector{2.0, kMissing}, "b");
  const Dataset part = set.subset(std::vector<std::size_t>{1});
  EXPECT_EQ(part.label(0), "b");
  EXPECT_EQ(part.class_names(), set.class_names());
  EXPECT_TRUE(part.has_missing());
  EXPECT_FALSE(set.subset(std::vector<std::size_t>{0, 0}).has_missing());
  EXPECT_THROW((void)set.subset(std::vector<std::size_t>{2}), std::invalid_argument);
}

TEST(Dataset, TakesLabelsByNumberOrByName) {
  Dataset set;
  set.add_case(std::vector{1.0});
  set.add_case(std::vector{2.0});
  set.set_labels({1, 0}, {"x", "y"});
  EXPECT_EQ(set.label(0), "y");
  set.set_labels(std::vector<std::string>{"p", "q"});
  EXPECT_EQ(set.class_names(), (std::vector<std::string>{"p", "q"}));
  EXPECT_THROW(set.set_labels({0}, {"x"}), std::invalid_argument);
  EXPECT_THROW(set.set_labels({0, 2}, {"x", "y"}), std::invalid_argument);
  EXPECT_THROW(set.set_labels({0, 1}, {"x", "x"}), std::invalid_argument);
}

}  // namespace dataset_test
}  // namespace diffeo
