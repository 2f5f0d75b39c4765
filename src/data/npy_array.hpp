// NumPy's array format (.npy, versions 1 to 3): a header, which is a Python literal, and the elements.
//
//   * elements of fixed size that are numbers or text; pickled objects and structures are refused
//   * any byte order, C or Fortran order: values come out in C order
//   * the size of the data is compared with the header, and with the memory that it may take, before anything is allocated
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "data/bytes.hpp"

namespace diffeo::files {

struct NpyHeader {
  char kind = 'f';       ///< f float, i integer, u unsigned, b truth value, U text of code points, S text of bytes
  std::size_t size = 8;  ///< bytes per element
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<std::size_t> shape;

  [[nodiscard]] std::size_t elements() const noexcept;
};

/// Reads the header, and checks that the rest of the source is as long as it says.
[[nodiscard]] NpyHeader read_npy_header(ByteSource& source);
/// The elements as doubles, in C order; for integers beyond 2^53 the nearest. FileError where they are not numbers.
[[nodiscard]] std::vector<double> read_npy_numbers(ByteSource& source, const NpyHeader& header);
/// The next `count` elements of an array in C order, likewise.
[[nodiscard]] std::vector<double> read_npy_numbers(ByteSource& source, const NpyHeader& header, std::size_t count);
/// The elements as text (integers in digits, floats as Python writes them).
[[nodiscard]] std::vector<std::string> read_npy_texts(ByteSource& source, const NpyHeader& header);

/// A header for elements in C order; `type` such as "<f8".
void write_npy_header(ByteSink& sink, std::string_view type, const std::vector<std::size_t>& shape);

/// (3, 4) for messages and headers.
[[nodiscard]] std::string shape_text(const std::vector<std::size_t>& shape);

}  // namespace diffeo::files
