#include "diffeo/constraints.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace diffeo {
namespace constraints_test {

std::vector<double> row(const Matrix& matrix, std::size_t index) {
  return {matrix.row(index).begin(), matrix.row(index).end()};
}

TEST(Constraints, SayThatNeighborsAgreeAtTheVertexBetweenThem) {
  const Matrix constraints = constraint_matrix(Tessellation(4), false);
  ASSERT_EQ(constraints.rows(), 3u);
  EXPECT_EQ(row(constraints, 0), (std::vector<double>{0.25, 1, -0.25, -1, 0, 0, 0, 0}));
  EXPECT_EQ(row(constraints, 1), (std::vector<double>{0, 0, 0.5, 1, -0.5, -1, 0, 0}));
  EXPECT_EQ(row(constraints, 2), (std::vector<double>{0, 0, 0, 0, 0.75, 1, -0.75, -1}));
}

TEST(Constraints, EndWithTheLowerAndTheUpperEndWhenTheBoundaryIsZero) {
  const Matrix constraints = constraint_matrix(Tessellation(2, 2.0, 5.0), true);
  ASSERT_EQ(constraints.rows(), 3u);
  EXPECT_EQ(row(constraints, 0), (std::vector<double>{3.5, 1, -3.5, -1}));
  EXPECT_EQ(row(constraints, 1), (std::vector<double>{2, 1, 0, 0}));
  EXPECT_EQ(row(constraints, 2), (std::vector<double>{0, 0, 5, 1}));
}

TEST(Constraints, OfASingleCellAreItsEndsOnly) {
  EXPECT_EQ(constraint_matrix(Tessellation(1), false).rows(), 0u);
  EXPECT_EQ(constraint_matrix(Tessellation(1), false).columns(), 2u);
  EXPECT_EQ(constraint_matrix(Tessellation(1), true).rows(), 2u);
}

TEST(Constraints, RefuseToBeMadeDenseWhereTheyWouldNotFitInMemory) {
  try {
    static_cast<void>(constraint_matrix(Tessellation(kMaximumDenseCells + 1), true));
    FAIL() << "expected std::invalid_argument";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("4097"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("GiB"), std::string::npos) << error.what();
  }
}

}  // namespace constraints_test
}  // namespace diffeo
