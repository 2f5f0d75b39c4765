#include "diffeo/evaluation_result.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace diffeo {
namespace {

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

}  // namespace
}  // namespace diffeo
