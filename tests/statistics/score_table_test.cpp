#include "diffeo/statistics/score_table.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "statistics/tables.hpp"
#include "support/message_of.hpp"

namespace diffeo {
namespace score_table_test {

using testing::message_of;
using testing::table_of;

TEST(ScoreTable, GivesTheScoresOfOneMethodOverAllDataSets) {
  EXPECT_EQ(scores_of(table_of({{1, 2, 3}, {4, 5, 6}}), 1), (std::vector<double>{2, 5}));
}

TEST(ScoreTable, ThatIsNotCompleteIsRefused) {
  ScoreTable short_row = table_of({{1, 2}, {3, 4}});
  short_row.scores[1].pop_back();
  EXPECT_EQ(message_of([&] { (void)scores_of(short_row, 0); }), "scores of 2: expected 2, one per method, got 1");
  ScoreTable missing_row = table_of({{1, 2}, {3, 4}});
  missing_row.scores.pop_back();
  EXPECT_EQ(message_of([&] { (void)scores_of(missing_row, 0); }), "scores: expected 2 rows, one per data set, got 1");
  const ScoreTable not_a_number = table_of({{1, std::numeric_limits<double>::quiet_NaN()}});
  EXPECT_EQ(message_of([&] { (void)scores_of(not_a_number, 0); }), "scores of 1: expected finite values, got nan at 1");
  EXPECT_EQ(message_of([] { (void)scores_of({}, 0); }), "methods: expected at least one, got none");
  EXPECT_EQ(message_of([] { (void)scores_of({{}, {"a"}, {}}, 0); }), "datasets: expected at least one, got none");
}

TEST(ScoreTable, RefusesAMethodThatThereIsNot) {
  EXPECT_EQ(message_of([] { (void)scores_of(table_of({{1, 2}}), 2); }), "method: expected a number below 2, got 2");
}

}  // namespace score_table_test
}  // namespace diffeo
