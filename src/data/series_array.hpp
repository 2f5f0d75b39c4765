// Series as one NumPy array (cases, channels, time): the whole of .npy, and X of .npz.
#pragma once

#include <cstddef>
#include <vector>

#include "data/bytes.hpp"
#include "diffeo/dataset.hpp"

namespace diffeo::files {

struct SeriesArray {
  std::size_t cases = 0;
  std::size_t channels = 0;
  std::size_t time = 0;
  std::vector<double> values;
};

/// FileError unless it is (cases, time) or (cases, channels, time), with at least one of each.
[[nodiscard]] SeriesArray read_series_array(ByteSource& source);
/// In double precision; shorter series are padded with NaN.
void write_series_array(ByteSink& sink, const Dataset& set);

}  // namespace diffeo::files
