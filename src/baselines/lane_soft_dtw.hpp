// Soft dynamic time warping of as many pairs as the machine has lanes: the workspace of one thread.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>

#include "baselines/aligned_vector.hpp"
#include "baselines/kernels/kernel_set.hpp"
#include "baselines/lane_pack.hpp"

namespace diffeo {

enum class WithGradient { kNo, kYes };

class LaneSoftDtw {
 public:
  LaneSoftDtw(const PairExtent& extent, WithGradient gradient)
      : kernels_(&kernels::baseline_kernels()),
        pack_(kernels_->lanes, extent),
        segment_rows_(rows_per_segment(extent)),
        row_(row_values(extent)) {
    if (gradient == WithGradient::kNo) return;
    const std::size_t segments = (extent.first_length + segment_rows_ - 1) / segment_rows_;
    saved_rows_.resize(segments * row_values(extent));
    weights_.resize(segment_rows_ * extent.second_length * 3 * lanes());
    incoming_.resize(extent.second_length * lanes());
    gradient_.resize(extent.first_length * extent.channels * lanes());
  }

  [[nodiscard]] static std::size_t lanes() noexcept { return kernels::baseline_kernels().lanes; }

  /// values[k] = soft-DTW of pairs[k]; one to lanes() pairs.
  void run(std::span<const SeriesPair> pairs, double gamma, double* values) noexcept {
    pack_.pack(pairs, Filling::kAnything);
    const kernels::SoftSpace space{row_.data(), saved_rows_.data(), weights_.data(), incoming_.data(), segment_rows_};
    const kernels::SoftSums sums = gradient_.empty()
                                       ? kernels_->soft_dtw(pack_.pairs(), 1 / gamma, space)
                                       : kernels_->soft_dtw_gradient(pack_.pairs(), 1 / gamma, space, gradient_.data());
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      values[k] = -gamma * (std::log(sums.mantissa[k]) + sums.exponent[k] * std::numbers::ln2);
    }
  }

  /// The gradient by the first series of a lane, channel by channel.
  void take_gradient(std::size_t lane, std::span<double> to) const noexcept {
    const kernels::LanePairs& pairs = pack_.pairs();
    const std::size_t length = pairs.first_length[lane];
    for (std::size_t c = 0; c < pairs.channels; ++c) {
      for (std::size_t t = 0; t < length; ++t) {
        to[c * length + t] = gradient_[(t * pairs.channels + c) * lanes() + lane];
      }
    }
  }

 private:
  static std::size_t row_values(const PairExtent& extent) { return (extent.second_length + 1) * 2 * lanes(); }

  /// As many rows as have their weights in the second-level cache, but at least the root of all: then neither the rows
  /// kept nor the weights of a segment grow faster than sqrt(n) m.
  static std::size_t rows_per_segment(const PairExtent& extent) {
    constexpr std::size_t kCacheBytes = 256 * 1024;
    const std::size_t cached = kCacheBytes / (extent.second_length * 3 * lanes() * sizeof(double));
    const auto root = static_cast<std::size_t>(std::sqrt(static_cast<double>(extent.first_length)));
    return std::clamp<std::size_t>(std::max(cached, root), 1, extent.first_length);
  }

  const kernels::BaselineKernels* kernels_;
  LanePack pack_;
  std::size_t segment_rows_;
  AlignedVector<double> row_, saved_rows_, weights_, incoming_, gradient_;
};

}  // namespace diffeo
