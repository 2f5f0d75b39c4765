// Series warped by the flows of several layers, in double precision, each in its own duration.
//
// What a temporal transformer does to a batch of tensors (diffeo/torch/temporal_transformer.hpp), done to a set once
// the velocities are known: no network, no padding.
#pragma once

#include <vector>

#include "diffeo/dataset.hpp"
#include "diffeo/matrix.hpp"
#include "diffeo/training_options.hpp"

namespace diffeo {

/// layers: one matrix of velocities each, (cases, cells + 1), used at time 1.
/// points: (cases, n). phi_1(phi_2(... phi_L(points))); with `inverse`, the other way.
[[nodiscard]] Matrix layered_positions(const std::vector<Matrix>& layers, const Matrix& points,
                                       const TrainingOptions& options, bool inverse, std::size_t threads);

/// series_i read at `length` equally spaced times of the common time, composed or resampled as the options say.
[[nodiscard]] Dataset layered_warp(const Dataset& series, const std::vector<Matrix>& layers, std::size_t length,
                                   const TrainingOptions& options, std::size_t threads);

/// `count` rows from `first` on.
[[nodiscard]] Matrix rows_from(const Matrix& matrix, std::size_t first, std::size_t count);

/// Every series read at its positions, (cases, n) in [0, 1] of its own duration.
[[nodiscard]] Dataset read_at(const Dataset& series, const Matrix& positions);

/// (cases, length): the same equally spaced times from 0 to 1 for all.
[[nodiscard]] Matrix equal_times(std::size_t cases, std::size_t length);

}  // namespace diffeo
