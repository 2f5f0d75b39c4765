// Series as one NumPy array (cases, channels, time): the whole of .npy, and X of .npz.
#pragma once

#include <cstddef>
#include <vector>

#include "data/bytes.hpp"
#include "data/npy_array.hpp"
#include "diffeo/dataset.hpp"
#include "diffeo/series_stream.hpp"

namespace diffeo::files {

/// Read from the first case to the last, some at a time. An array in Fortran order is held whole.
class SeriesArray {
 public:
  /// FileError unless it is (cases, time) or (cases, channels, time), with at least one of each. The source must
  /// outlive the array.
  explicit SeriesArray(ByteSource& source);

  [[nodiscard]] std::size_t cases() const noexcept { return header_.shape.front(); }
  [[nodiscard]] std::size_t channels() const noexcept { return header_.shape.size() == 3 ? header_.shape[1] : 1; }
  [[nodiscard]] std::size_t time() const noexcept { return header_.shape.back(); }
  /// Cases that have been read.
  [[nodiscard]] std::size_t position() const noexcept { return position_; }
  /// How many cases a part of that size has; 0 at the end.
  [[nodiscard]] std::size_t cases_of(const PartSize& size) const noexcept;
  /// The values of the next cases, which must be there.
  [[nodiscard]] std::vector<double> read(std::size_t cases);

 private:
  ByteSource& source_;
  NpyHeader header_;
  std::size_t position_ = 0;
  std::vector<double> whole_;  // in Fortran order only
};

/// In double precision; shorter series are padded with NaN.
void write_series_array_header(ByteSink& sink, const SeriesOutline& outline);
void write_series(ByteSink& sink, SeriesView<const double> series, std::size_t longest);

}  // namespace diffeo::files
