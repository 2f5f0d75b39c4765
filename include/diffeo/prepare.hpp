// Data sets made ready: normalised, brought to one length, gaps filled. Each is called by name; nothing else in diffeo
// does it unasked.
//
//   * each gives back a new set with the labels and class names of the old one; every channel of every case for itself
//   * O(values); one thread
//   * std::invalid_argument that names case and channel, both counted from 0, where a channel cannot be prepared
#pragma once

#include <cstddef>

#include "diffeo/dataset.hpp"

namespace diffeo {

/// Mean 0 and standard deviation 1 over the values present; missing ones stay missing.
///
///   * the population's standard deviation (divided by n), as aeon computes it. The UCR archive's files were made with
///     n - 1: their deviation, computed this way, is sqrt((n - 1) / n)
///   * a channel whose present values are all equal becomes 0, to the last bit
///   * infinite values are refused
[[nodiscard]] Dataset z_normalise(const Dataset& set);

/// Every series read at `length` equally spaced times from its first to its last, by linear interpolation
/// (diffeo/sample.hpp): the ends stay, a series of that length stays as it is, bit for bit.
///
///   * a missing neighbour gives a missing value; fill_missing before where that is not wanted
///   * no smoothing: details finer than the new spacing are skipped
///   * length at least 1; a length of 1 keeps the first value
[[nodiscard]] Dataset resample(const Dataset& set, std::size_t length);

/// Missing values replaced: between two present ones on the line through them, before the first and after the last by
/// the nearest.
///
///   * a channel without any value present is refused: there is nothing to fill it from
[[nodiscard]] Dataset fill_missing(const Dataset& set);

}  // namespace diffeo
