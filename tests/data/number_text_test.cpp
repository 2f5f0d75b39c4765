#include "data/number_text.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>

#include "diffeo/random.hpp"

namespace diffeo::files {
namespace number_text_test {

constexpr int kRandomTexts = 300'000;

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

void expect_as_strtod(const std::string& text) {
  const std::optional<double> value = number_in(text);
  ASSERT_TRUE(value.has_value()) << text;
  EXPECT_EQ(bits(*value), bits(std::strtod(text.c_str(), nullptr))) << text;
}

TEST(NumberText, OfEveryFormIsReadAsTheCLibraryReadsIt) {
  for (const char* text : {"0",
                           "-0",
                           "+0",
                           "0.0",
                           "1",
                           "-1",
                           "+1.5",
                           ".5",
                           "-.5",
                           "5.",
                           "1e5",
                           "1E5",
                           "1e+5",
                           "1e-5",
                           "1.e3",
                           "00012.50",
                           "123456789012345678901234567890",
                           "0.1",
                           "0.30000000000000004",
                           "9007199254740993",
                           "9007199254740992.5",
                           "179769313486231570000000000000000000000e270",
                           "1.7976931348623157e308",
                           "1.7976931348623159e308",
                           "1e400",
                           "-1e400",
                           "1e-400",
                           "-1e-400",
                           "5e-324",
                           "2.4703282292062327e-324",
                           "2.4703282292062328e-324",
                           "2.2250738585072014e-308",
                           "2.2250738585072011e-308",
                           "1e22",
                           "1e23",
                           "1e27",
                           "1e28",
                           "123456789e-27",
                           "9223372036854775807",
                           "9223372036854775808",
                           "18446744073709551615",
                           "18446744073709551616",
                           "0.000000000000000000000000000012345678901234567",
                           "0.00000000000000000001",
                           "1e99999999999999999999",
                           "1e-99999999999999999999",
                           "0e999999",
                           "1.00000000000000011102230246251565404236316680908203125",
                           "1.00000000000000011102230246251565404236316680908203124",
                           "1.00000000000000011102230246251565404236316680908203126"}) {
    expect_as_strtod(text);
  }
}

TEST(NumberText, OfManyZerosIsReadAsTheCLibraryReadsIt) {
  expect_as_strtod(std::string(500, '0') + "." + std::string(500, '0') + "1");
  expect_as_strtod("1" + std::string(500, '0'));
  expect_as_strtod("0." + std::string(330, '0') + "1e340");
}

TEST(NumberText, OfRandomDigitsIsReadAsTheCLibraryReadsIt) {
  constexpr std::uint64_t kSeed = 41;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  for (int i = 0; i < kRandomTexts && !::testing::Test::HasFailure(); ++i) {
    std::string text = random.below(2) ? "-" : "";
    const std::uint64_t whole = random.below(8);
    const std::uint64_t fraction = random.below(20);
    for (std::uint64_t digit = 0; digit <= whole; ++digit) text += static_cast<char>('0' + random.below(10));
    if (fraction > 0) text += '.';
    for (std::uint64_t digit = 0; digit < fraction; ++digit) text += static_cast<char>('0' + random.below(10));
    if (random.below(3) == 0) {
      text += 'e';
      text += std::to_string(static_cast<int>(random.below(80)) - 40);
    }
    expect_as_strtod(text);
  }
}

TEST(NumberText, WrittenAndReadGivesTheSameBits) {
  constexpr std::uint64_t kSeed = 42;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  for (int i = 0; i < kRandomTexts && !::testing::Test::HasFailure(); ++i) {
    const double any = std::bit_cast<double>(random.bits());
    for (const double value : {any, random.normal(), std::ldexp(random.uniform(), -1030)}) {
      std::string text;
      append_number(text, value);
      const std::optional<double> back = number_in(text);
      ASSERT_TRUE(back.has_value()) << text;
      if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(*back));
      } else {
        EXPECT_EQ(bits(*back), bits(value)) << text;
        EXPECT_EQ(bits(std::strtod(text.c_str(), nullptr)), bits(value)) << text;
      }
    }
  }
}

TEST(NumberText, OfSeventeenDigitsIsReadAsTheCLibraryReadsIt) {
  constexpr std::uint64_t kSeed = 43;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  for (int i = 0; i < kRandomTexts && !::testing::Test::HasFailure(); ++i) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*g", 15 + static_cast<int>(random.below(5)), 1000 * random.normal());
    expect_as_strtod(text);
  }
}

TEST(NumberText, KnowsTheWordsForInfinityAndMissing) {
  EXPECT_EQ(number_in("inf"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(number_in("+Infinity"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(number_in("-INF"), -std::numeric_limits<double>::infinity());
  for (const char* text : {"NaN", "nan", "-nan", "NAN"}) EXPECT_TRUE(std::isnan(number_in(text).value())) << text;
}

TEST(NumberText, IsNothingElse) {
  for (const char* text : {"",   "-",  "+",   ".",   "-.",    "e5", "1e",   "1e+",     "1.5x",  "1,5", "0x10",
                           "1 ", " 1", "--1", "+-1", "1.2.3", "n",  "nano", "infinit", "1e5.5", "?"}) {
    EXPECT_FALSE(number_in(text).has_value()) << text;
  }
}

TEST(NumberText, StopsWhereTheNumberEnds) {
  const std::string text = "12.5\t7";
  double value = 0;
  EXPECT_EQ(scan_number(text.data(), text.data() + text.size(), value) - text.data(), 4);
  EXPECT_EQ(value, 12.5);
  EXPECT_EQ(scan_number(text.data(), text.data() + 2, value) - text.data(), 2);
  EXPECT_EQ(value, 12.0);
  EXPECT_EQ(scan_number(text.data(), text.data(), value), nullptr);
}

TEST(NumberText, OfAFloatAsALabelIsWhatPythonWrites) {
  EXPECT_EQ(float_label(1.0), "1.0");
  EXPECT_EQ(float_label(-0.0), "-0.0");
  EXPECT_EQ(float_label(0.1), "0.1");
  EXPECT_EQ(float_label(0.1f), "0.1");
  EXPECT_EQ(float_label(100000.0), "100000.0");
  EXPECT_EQ(float_label(1e15), "1000000000000000.0");
  EXPECT_EQ(float_label(1e16), "1e+16");
  EXPECT_EQ(float_label(0.0001), "0.0001");
  EXPECT_EQ(float_label(0.00001), "1e-05");
  EXPECT_EQ(float_label(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(float_label(std::numeric_limits<double>::quiet_NaN()), "nan");
}

}  // namespace number_text_test
}  // namespace diffeo::files
