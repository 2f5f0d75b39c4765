#include "diffeo/tessellation.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace diffeo {
namespace tessellation_test {

TEST(Tessellation, EndsExactlyAtTheEndsOfTheDomain) {
  for (const std::size_t cells : {1u, 3u, 49u, 65536u}) {
    const Tessellation tessellation(cells, -0.3, 0.7);
    EXPECT_EQ(tessellation.vertex(0), -0.3);
    EXPECT_EQ(tessellation.vertex(cells), 0.7);
  }
}

TEST(Tessellation, RoundsVerticesOfTheUnitIntervalCorrectly) {
  const Tessellation tessellation(10);
  for (std::size_t j = 0; j <= 10; ++j) EXPECT_EQ(tessellation.vertex(j), static_cast<double>(j) / 10.0);
}

TEST(Tessellation, HasIncreasingVerticesAtItsLargestSize) {
  const Tessellation tessellation(Tessellation::kMaximumCells, 2.0, 5.0);
  for (std::size_t j = 0; j < tessellation.cells(); ++j) {
    ASSERT_LT(tessellation.vertex(j), tessellation.vertex(j + 1));
  }
}

TEST(Tessellation, RefusesACellCountOutsideItsRange) {
  EXPECT_THROW(Tessellation(0), std::invalid_argument);
  EXPECT_THROW(Tessellation(Tessellation::kMaximumCells + 1), std::invalid_argument);
}

TEST(Tessellation, RefusesADomainThatIsNotAnInterval) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THROW(Tessellation(5, 1.0, 1.0), std::invalid_argument);
  EXPECT_THROW(Tessellation(5, 1.0, 0.0), std::invalid_argument);
  EXPECT_THROW(Tessellation(5, 0.0, infinity), std::invalid_argument);
  EXPECT_THROW(Tessellation(5, -infinity, 0.0), std::invalid_argument);
  EXPECT_THROW(Tessellation(5, 0.0, std::numeric_limits<double>::quiet_NaN()), std::invalid_argument);
  EXPECT_THROW(Tessellation(5, -1.7e308, 1.7e308), std::invalid_argument);
}

}  // namespace tessellation_test
}  // namespace diffeo
