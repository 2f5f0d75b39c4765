#include "diffeo/statistics/correlation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/message_of.hpp"

namespace diffeo {
namespace correlation_test {

using testing::message_of;
using Values = std::vector<double>;
constexpr double kRelative = 1e-12;  // of the beta function, and of roundings in the coefficient

void expect_correlation(const Correlation& found, double coefficient, double p_value) {
  EXPECT_NEAR(found.coefficient, coefficient, kRelative);
  EXPECT_NEAR(found.p_value, p_value, kRelative);
}

const Values kRising = {1, 2, 3, 4, 5, 6, 7, 8};
const Values kNearlyRising = {2.1, 1.9, 3.5, 3.9, 5.2, 5.1, 7.9, 7.2};
const Values kTied = {1, 2, 2, 3, 5, 5, 5, 9};
const Values kTiedToo = {3, 1, 4, 1, 5, 9, 2, 6};
const Values kSizes = {10, 400, 150, 28, 9000, 39};
const Values kGains = {0.03, 0.01, -0.02, 0.11, -0.05, 0.07};

// scipy.stats.pearsonr(x, y)
TEST(Pearson, AgreesWithScipy) {
  expect_correlation(pearson(kRising, kNearlyRising), 0.9570781465146363, 0.00019137662073821795);
  expect_correlation(pearson(kTied, kTiedToo), 0.5271925227161437, 0.1793972295549785);
  expect_correlation(pearson(kSizes, kGains), -0.6437811336517025, 0.167737180160257);
}

// scipy.stats.spearmanr(x, y)
TEST(Spearman, AgreesWithScipy) {
  expect_correlation(spearman(kRising, kNearlyRising), 0.9285714285714287, 0.0008629681828999767);
  expect_correlation(spearman(kTied, kTiedToo), 0.5495502618648208, 0.15825612767878006);
  expect_correlation(spearman(kSizes, kGains), -0.7714285714285715, 0.07239650145772594);
}

TEST(Pearson, IsOneOnALine) {
  expect_correlation(pearson(Values{1, 2, 4, 8}, Values{5, 7, 11, 19}), 1.0, 0.0);
  expect_correlation(pearson(Values{1, 2, 4, 8}, Values{-5, -7, -11, -19}), -1.0, 0.0);
}

TEST(Pearson, DoesNotDependOnUnits) {
  Values large = kGains;
  for (double& value : large) value = 1e200 * value;
  expect_correlation(pearson(kSizes, large), -0.6437811336517025, 0.167737180160257);
}

TEST(Spearman, DoesNotSeeALogarithm) {
  Values logarithms;
  for (const double size : kSizes) logarithms.push_back(std::log(size));
  EXPECT_EQ(spearman(logarithms, kGains).coefficient, spearman(kSizes, kGains).coefficient);
}

TEST(Correlation, IsNoneWhereOneSideIsConstant) {
  const Values constant(6, 0.1);  // whose sum rounds
  for (const Correlation& found : {pearson(constant, kGains), pearson(kGains, constant), spearman(kGains, constant)}) {
    EXPECT_EQ(found.coefficient, 0.0);
    EXPECT_EQ(found.p_value, 1.0);
  }
}

TEST(Correlation, OfTwoPairsSaysNothing) {
  EXPECT_EQ(pearson(Values{1, 2}, Values{5, 9}).p_value, 1.0);
  EXPECT_NEAR(pearson(Values{1, 2}, Values{5, 9}).coefficient, 1.0, kRelative);
  EXPECT_EQ(spearman(Values{1}, Values{5}).p_value, 1.0);
  EXPECT_EQ(spearman(Values{1}, Values{5}).coefficient, 0.0);
  EXPECT_EQ(pearson(Values{}, Values{}).coefficient, 0.0);
}

TEST(Correlation, RefusesDifferentLengths) {
  EXPECT_EQ(message_of([] {
              (void)spearman(Values{1, 2}, Values{1});
            }),
            "second: expected 2 values as in first, got 1");
}

}  // namespace correlation_test
}  // namespace diffeo
