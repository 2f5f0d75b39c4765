#include "data/json_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace diffeo {
namespace json_text_test {

using files::json_problem;
using files::parsed_json;

std::string problem_of(const auto& action) {
  try {
    action();
  } catch (const nlohmann::json::exception& problem) {
    return json_problem(problem);
  }
  return "";
}

TEST(JsonText, IsNullUnlessItIsJson) {
  EXPECT_EQ(parsed_json(R"({"a": [1, 2]})").at("a").size(), 2u);
  for (const char* text : {"", "{", "{\"a\": }", "[1] 2", "\xff", "nil"})
    EXPECT_TRUE(parsed_json(text).is_null()) << text;
}

TEST(JsonText, IsNullWhereItIsNestedSoDeepThatItCouldOverflowTheStack) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(parsed_json(nested(files::kDeepestJson)).is_array());
  for (const std::size_t depth : {files::kDeepestJson + 2, 40'000, 4'000'000}) {
    EXPECT_TRUE(parsed_json(nested(depth)).is_null());
  }
  std::string objects;
  for (int i = 0; i < 40'000; ++i) objects += "{\"a\":";
  EXPECT_TRUE(parsed_json(objects).is_null());
}

TEST(JsonText, HasProblemsInOurWords) {
  const auto json = parsed_json(R"({"a": "text"})");
  EXPECT_EQ(problem_of([&] { (void)json.at("cells"); }), "no entry cells");
  EXPECT_EQ(problem_of([&] { (void)json.at("a").get<double>(); }), "an entry of another type");
}

TEST(JsonText, OfLinesIsUtf8) { EXPECT_EQ(files::json_line({{"a", "\xff"}}), "{\"a\":\"\xef\xbf\xbd\"}"); }

}  // namespace json_text_test
}  // namespace diffeo
