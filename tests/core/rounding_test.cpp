#include "core/rounding.hpp"

#include <gtest/gtest.h>

namespace diffeo {
namespace rounding_test {

struct Pair {
  double first, second;
};

// Two at once and not inlined: what the compiler vectorizes, and folds away without the barrier.
__attribute__((noinline)) void round_both(Pair& pair) {
  pair.first = rounded_to<float>(pair.first);
  pair.second = rounded_to<float>(pair.second);
}

TEST(Rounding, ToFloatLosesTheDigitsAFloatDoesNotHave) {
  Pair pair = {2.2551730123, 2.26348692737};
  round_both(pair);
  EXPECT_EQ(pair.first, 2.2551729679107666);
  EXPECT_EQ(pair.second, 2.2634868621826172);
}

TEST(Rounding, ToDoubleLosesNothing) { EXPECT_EQ(rounded_to<double>(2.2551730123), 2.2551730123); }

}  // namespace rounding_test
}  // namespace diffeo
