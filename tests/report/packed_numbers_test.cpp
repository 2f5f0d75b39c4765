#include "report/packed_numbers.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace diffeo::report {
namespace packed_numbers_test {

TEST(PackedNumbers, AreBase64OfTheLeastSignificantByteFirst) {
  EXPECT_EQ(packed_floats(std::vector<double>{}), "");
  EXPECT_EQ(packed_floats(std::vector<double>{1.0}), "AACAPw==");
  EXPECT_EQ(packed_floats(std::vector<double>{1.0, -2.0}), "AACAPwAAAMA=");
  EXPECT_EQ(packed_floats(std::vector<double>{1.0, -2.0, 0.5}), "AACAPwAAAMAAAAA/");
  EXPECT_EQ(packed_doubles(std::vector<double>{1.0}), "AAAAAAAA8D8=");
}

TEST(PackedNumbers, KeepMissingValuesMissing) {
  EXPECT_EQ(packed_floats(std::vector<double>{std::numeric_limits<double>::quiet_NaN()}), "AADAfw==");
}

}  // namespace packed_numbers_test
}  // namespace diffeo::report
