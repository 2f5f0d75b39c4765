// A view of rows of equal length in one block of memory: the type of all batch arguments and results.
//
// It owns nothing and never allocates. One row given where `count` are expected means "the same for all": `row(i)` then
// returns that row for every i.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

namespace diffeo {

template <class T>
struct Rows {
  T* data = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;

  constexpr Rows() = default;
  constexpr Rows(T* first, std::size_t row_count, std::size_t column_count) noexcept
      : data(first), rows(row_count), columns(column_count) {}
  /// One row.
  constexpr Rows(std::span<T> values) noexcept : data(values.data()), rows(1), columns(values.size()) {}
  /// A writable view converts to a read-only view.
  template <class U>
  requires(std::is_same_v<const U, T>) constexpr Rows(const Rows<U>& other) noexcept
      : data(other.data), rows(other.rows), columns(other.columns) {}

  [[nodiscard]] constexpr bool empty() const noexcept { return data == nullptr; }
  [[nodiscard]] constexpr bool shared() const noexcept { return rows == 1; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return rows * columns; }
  [[nodiscard]] constexpr std::span<T> row(std::size_t index) const noexcept {
    return {data + (shared() ? 0 : index * columns), columns};
  }
  [[nodiscard]] constexpr std::span<T> values() const noexcept { return {data, size()}; }
};

}  // namespace diffeo
