#include "diffeo/evaluation_result.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

namespace diffeo {
namespace evaluation_result_test {

EvaluationResult complete() {
  EvaluationResult result;
  result.item = {
      "GunPoint", "diffeo", {{"cells", "32"}, {"loss", "variance"}}, std::uint64_t{18446744073709551615u}, 0};
  result.train_accuracy = 1.0;
  result.test_accuracy = 1.0 / 3.0;
  result.seconds = 0.1;
  result.version = "0.1.0";
  result.commit = "unknown";
  result.threads = 2;
  result.date = "2026-01-31T12:00:00Z";
  return result;
}

TEST(EvaluationResult, ComesBackFromItsLine) {
  EXPECT_EQ(result_of_line(to_line(complete())), complete());
  EvaluationResult failed;
  failed.item = {"Beef", "dba", {}, std::nullopt, 5};
  failed.error = "two\nlines";
  EXPECT_EQ(result_of_line(to_line(failed)), failed);
}

TEST(EvaluationResult, IsOneLineWithTheNamesThatAreDocumented) {
  EXPECT_EQ(to_line(complete()),
            R"({"dataset":"GunPoint","method":"diffeo","options":{"cells":"32","loss":"variance"},)"
            R"("seed":18446744073709551615,"train_accuracy":1.0,"test_accuracy":0.3333333333333333,"seconds":0.1,)"
            R"("version":"0.1.0","commit":"unknown","threads":2,"date":"2026-01-31T12:00:00Z"})");
}

TEST(EvaluationResult, VariancesStandBehindTheAccuraciesWhereThereAreAny) {
  EvaluationResult result = complete();
  result.variance_before = 2.5;
  result.variance_after = 0.25;
  const std::string line = to_line(result);
  EXPECT_NE(line.find(R"("test_accuracy":0.3333333333333333,"variance_before":2.5,"variance_after":0.25,"seconds")"),
            std::string::npos)
      << line;
  EXPECT_EQ(result_of_line(line), result);
}

TEST(EvaluationResult, MeasuresOfTheAlignmentStandBehindTheVariances) {
  EvaluationResult result = complete();
  result.variance_before = 2.5;
  result.variance_after = 0.25;
  result.alignment = AlignmentMeasures{{4.0, 1.0}, {0.5, 0.125}, 0.25, 3.0, 0.0625, 0.03125, 0.0078125};
  const std::string line = to_line(result);
  EXPECT_NE(line.find(R"("variance_after":0.25,"alignment":{"slope_variance_before":4.0,"slope_variance_after":1.0,)"
                      R"("inverse_consistent_error_before":0.5,"inverse_consistent_error_after":0.125,)"
                      R"("least_slope":0.25,"largest_slope":3.0,"displacement":0.0625,"mean_warp_distance":0.03125,)"
                      R"("training_mean_warp_distance":0.0078125},"seconds")"),
            std::string::npos)
      << line;
  EXPECT_EQ(result_of_line(line), result);
}

TEST(EvaluationResult, AMeasureThatIsNotFiniteDoesNotMakeTheLineUnreadable) {
  EvaluationResult result = complete();
  result.alignment = AlignmentMeasures{};
  result.alignment->slope_variance.after = std::numeric_limits<double>::infinity();
  const EvaluationResult read = result_of_line(to_line(result));
  EXPECT_TRUE(std::isnan(read.alignment->slope_variance.after));
  EXPECT_EQ(read.alignment->least_slope, 1.0);
}

TEST(EvaluationResult, ReadsLinesFromBeforeTheAlignmentWasMeasured) {
  const EvaluationResult old = result_of_line(
      R"({"dataset":"A","method":"dtan","options":{},"seed":0,"train_accuracy":1.0,"test_accuracy":0.5,)"
      R"("variance_before":2.5,"variance_after":0.25,"seconds":0.1,"version":"0.1.0","commit":"unknown","threads":1,)"
      R"("date":"2026-01-31T12:00:00Z"})");
  EXPECT_EQ(old.variance_before, 2.5);
  EXPECT_EQ(old.variance_after, 0.25);
  EXPECT_FALSE(old.alignment.has_value());
  EXPECT_EQ(old.processor, "");
}

TEST(EvaluationResult, TheProcessorStandsBehindTheThreads) {
  EvaluationResult result = complete();
  result.processor = "AMD EPYC 9654";
  EXPECT_NE(to_line(result).find(R"("threads":2,"processor":"AMD EPYC 9654","date")"), std::string::npos);
  EXPECT_EQ(result_of_line(to_line(result)), result);
}

TEST(EvaluationResult, ProcessorTimeStandsBehindTheClocksAndIsTheWorkWhereItIsKnown) {
  EvaluationResult result = complete();
  EXPECT_EQ(work_seconds(result), 0.1);  // a line from before it was kept
  result.cpu_seconds = 0.0625;
  EXPECT_NE(to_line(result).find(R"("seconds":0.1,"cpu_seconds":0.0625,"version")"), std::string::npos);
  result.training_seconds = 0.03125;
  EXPECT_NE(to_line(result).find(R"("cpu_seconds":0.0625,"training_seconds":0.03125,"version")"), std::string::npos);
  EXPECT_EQ(result_of_line(to_line(result)), result);
  EXPECT_EQ(work_seconds(result), 0.0625);
}

TEST(EvaluationResult, KeysAreTheSameOnEveryMachineAndTellItemsApart) {
  // FNV-1a of 128 bits of {"dataset":"A","method":"dba","options":{},"seed":null,"cv_folds":0}, from the definition in
  // Python: h = (h ^ byte) * (2**88 + 0x13b) % 2**128 from 0x6c62272e07bb014262b821756295c58d
  EXPECT_EQ(work_key({"A", "dba", {}, std::nullopt, 0}), "e4d4f341cf3a70b9398964df513ca0aa");
  std::set<std::string> keys;
  for (const char* dataset : {"A", "B"}) {
    for (const char* cells : {"3", "4"}) {
      for (const std::optional<std::uint64_t> seed :
           {std::optional<std::uint64_t>(), std::optional<std::uint64_t>(0)}) {
        for (const std::size_t folds : {0, 2}) keys.insert(work_key({dataset, "dba", {{"cells", cells}}, seed, folds}));
      }
    }
  }
  EXPECT_EQ(keys.size(), 16u);
}

TEST(EvaluationResult, SaysHowManyFoldsWerePredictedWhereItWasNotAll) {
  EvaluationResult result = complete();
  result.item.folds = 3;
  const std::string whole = to_line(result);
  const std::string whole_key = work_key(result.item);
  EXPECT_EQ(whole.find("cv_held_out"), std::string::npos);
  result.item.held_out = 1;
  EXPECT_NE(to_line(result).find(R"("cv_folds":3,"cv_held_out":1)"), std::string::npos);
  EXPECT_EQ(result_of_line(to_line(result)), result);
  EXPECT_NE(work_key(result.item), whole_key);
}

TEST(EvaluationResult, HoldsMessagesThatAreNotUtf8) {
  EvaluationResult result = complete();
  result.error = "got \xff";
  EXPECT_NO_THROW((void)result_of_line(to_line(result)));
}

TEST(EvaluationResult, RefusesLinesThatAreNone) {
  for (const char* line : {"", "{}", "[1]", "{\"dataset\":1}", "{\"dataset\":\"A\","}) {
    EXPECT_THROW((void)result_of_line(line), std::invalid_argument) << line;
  }
}

std::string problem_in(const std::string& line) {
  try {
    (void)result_of_line(line);
  } catch (const std::invalid_argument& problem) {
    return problem.what();
  }
  return "";
}

std::string line_with(const std::string& old_text, const std::string& new_text) {
  std::string line = to_line(complete());
  return line.replace(line.find(old_text), old_text.size(), new_text);
}

TEST(EvaluationResult, IsRefusedInAShortLineOfOurWords) {
  EXPECT_EQ(problem_in("not JSON"), "expected a result as one JSON object, got 'not JSON'");
  EXPECT_EQ(problem_in("[1]"), "expected a result as one JSON object, got '[1]'");
  EXPECT_EQ(problem_in("\x1b[2J"), "expected a result as one JSON object, got '\\x1b[2J'");
  EXPECT_LT(problem_in(std::string(6'000'000, 'x')).size(), 200u);
  EXPECT_LT(problem_in(std::string(40'000, '[')).size(), 200u);
  EXPECT_EQ(problem_in("{}"), "expected a result with all its entries, got no entry dataset");
  EXPECT_EQ(problem_in(line_with("\"seconds\":0.1", "\"seconds\":\"long\"")),
            "expected a result with all its entries, got an entry of another type");
}

TEST(EvaluationResult, HasAccuraciesFrom0To1) {
  for (const char* value : {"1.01", "-0.5", "1e300"}) {
    EXPECT_TRUE(problem_in(line_with("\"train_accuracy\":1.0", std::string("\"train_accuracy\":") + value))
                    .starts_with("train_accuracy: expected 0 to 1, got "));
  }
}

TEST(EvaluationResult, IsOfADataSetWhoseFilesStayInTheFolder) {
  for (const char* name : {"", ".", "..", "../other", "/etc/passwd", "a/b", "a\\u0000b"}) {
    EXPECT_TRUE(problem_in(line_with("GunPoint", name)).starts_with("dataset: expected the name of a folder")) << name;
  }
}

}  // namespace evaluation_result_test
}  // namespace diffeo
