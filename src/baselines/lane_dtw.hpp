// Dynamic time warping of as many pairs as the machine has lanes: the workspace of one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "baselines/aligned_vector.hpp"
#include "baselines/kernels/kernel_set.hpp"
#include "baselines/lane_pack.hpp"
#include "diffeo/warping_window.hpp"

namespace diffeo {

enum class WithPaths { kNo, kYes };

class LaneDtw {
 public:
  LaneDtw(const PairExtent& extent, WithPaths paths)
      : kernels_(&kernels::baseline_kernels()),
        pack_(kernels_->lanes, extent),
        row_((extent.second_length + 2) * kernels_->lanes),
        steps_(paths == WithPaths::kYes ? (extent.first_length + 1) * (extent.second_length + 1) : 0) {}

  [[nodiscard]] static std::size_t lanes() noexcept { return kernels::baseline_kernels().lanes; }

  /// squared[k] = the squared distance of pairs[k]; one to lanes() pairs, a window that was checked.
  void run(std::span<const SeriesPair> pairs, const WarpingWindow& window, double* squared) {
    pack_.pack(pairs, Filling::kFiller);
    alignas(64) double results[kernels::kMostLanes];
    kernels_->dtw(pack_.pairs(), band(window), row_.data(), steps_.empty() ? nullptr : steps_.data(), results);
    std::copy_n(results, pairs.size(), squared);
  }

  /// Calls visit(i, j) for the cells of the best path of a lane, from the last to the first.
  template <class Visit>
  void trace(std::size_t lane, Visit visit) const {
    const kernels::LanePairs& pairs = pack_.pairs();
    std::size_t i = pairs.first_length[lane] - 1;
    std::size_t j = pairs.second_length[lane] - 1;
    visit(i, j);
    while (i > 0 || j > 0) {
      const unsigned step = static_cast<unsigned>(steps_[i * pairs.columns + j]) >> lane;
      const bool corner = (step & 1u) != 0;
      const bool above = (step >> 8 & 1u) != 0;
      i -= corner || above ? 1 : 0;
      j -= corner || !above ? 1 : 0;
      visit(i, j);
    }
  }

 private:
  [[nodiscard]] kernels::LaneBand band(const WarpingWindow& window) const {
    kernels::LaneBand band = {};
    for (std::size_t lane = 0; lane < pack_.lanes(); ++lane) {
      const std::size_t n = pack_.pairs().first_length[lane];
      const std::size_t m = pack_.pairs().second_length[lane];
      const auto radius = static_cast<std::ptrdiff_t>(std::min(radius_of(window, n, m), std::max(n, m)));
      const std::ptrdiff_t excess = static_cast<std::ptrdiff_t>(m) - static_cast<std::ptrdiff_t>(n);
      band.lowest[lane] = std::min<std::ptrdiff_t>(excess, 0) - radius;
      band.highest[lane] = std::max<std::ptrdiff_t>(excess, 0) + radius;
    }
    return band;
  }

  const kernels::BaselineKernels* kernels_;
  LanePack pack_;
  AlignedVector<double> row_;
  AlignedVector<kernels::LaneSteps> steps_;
};

}  // namespace diffeo
