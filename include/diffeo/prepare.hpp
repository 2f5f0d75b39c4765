// Preprocessing of data sets: normalizing, resampling, filling gaps. Nothing else in diffeo does it implicitly.
//
//   * each returns a new set with the labels and class names of the old one, and treats every channel of every case
//     separately
//   * O(values); one thread
//   * std::invalid_argument that names case and channel, both counted from 0, if a channel cannot be prepared
#pragma once

#include <cstddef>

#include "diffeo/dataset.hpp"

namespace diffeo {

/// Mean 0 and standard deviation 1 over the present values; missing ones stay missing.
///
///   * the population's standard deviation (divided by n), as in aeon. The UCR archive's files use n - 1: their
///     deviation, computed this way, is sqrt((n - 1) / n)
///   * a channel whose present values are all equal becomes exactly 0
///   * infinite values are refused
[[nodiscard]] Dataset z_normalize(const Dataset& set);

/// Every series read at `length` equally spaced times from its first to its last, by linear interpolation
/// (diffeo/sample.hpp). The ends are unchanged; a series of that length is unchanged bit for bit.
///
///   * a missing neighbor gives a missing value; call fill_missing first to avoid that
///   * no smoothing: details finer than the new spacing are skipped
///   * length at least 1; a length of 1 keeps the first value
[[nodiscard]] Dataset resample(const Dataset& set, std::size_t length);

/// Fills missing values: linearly between two present ones, with the nearest value before the first and after the last.
///
///   * a channel without any present value is refused
[[nodiscard]] Dataset fill_missing(const Dataset& set);

}  // namespace diffeo
