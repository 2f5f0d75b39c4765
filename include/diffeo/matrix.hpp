// A dense row-major matrix of doubles, used for bases, constraints and priors.
//
// It has only storage and element access. The algebra is in the sources that need it, so that no linear-algebra library
// appears in a public header.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace diffeo {

class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t columns) : rows_(rows), columns_(columns), values_(rows * columns, 0.0) {}

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }
  [[nodiscard]] double operator()(std::size_t row, std::size_t column) const noexcept {
    return values_[row * columns_ + column];
  }
  [[nodiscard]] double& operator()(std::size_t row, std::size_t column) noexcept {
    return values_[row * columns_ + column];
  }
  [[nodiscard]] std::span<const double> row(std::size_t index) const noexcept {
    return std::span(values_).subspan(index * columns_, columns_);
  }
  [[nodiscard]] std::span<const double> values() const noexcept { return values_; }
  [[nodiscard]] std::span<double> values() noexcept { return values_; }

 private:
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::vector<double> values_;
};

}  // namespace diffeo
