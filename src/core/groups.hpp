// Sums over a batch that give the same bits for any number of threads.
//
// The gradient of an argument that the batch shares is a sum over its rows. The rows are cut into a fixed
// number of groups, each group is summed in order by whichever thread takes it, and the groups are added in
// order: neither the number of threads nor their timing enters.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "diffeo/rows.hpp"

namespace diffeo {

/// Consecutive rows dealt out to groups of nearly equal size.
struct Groups {
  std::size_t rows = 0;
  std::size_t count = 0;

  /// Enough to keep the cores of a usual machine busy, few enough that one partial sum per group costs little
  /// memory.
  static constexpr std::size_t kMostWhenSummed = 16;

  /// One row per group where rows are independent, few groups where something is summed over them.
  static Groups of(std::size_t rows, bool summed) noexcept {
    return {rows, summed ? std::min(rows, kMostWhenSummed) : rows};
  }
  [[nodiscard]] std::size_t begin(std::size_t group) const noexcept { return group * rows / count; }
  [[nodiscard]] std::size_t end(std::size_t group) const noexcept { return begin(group + 1); }
};

/// One partial sum of `size` values per group; nothing at all unless `needed`.
class GroupSums {
 public:
  GroupSums(bool needed, Groups groups, std::size_t size)
      : groups_(needed ? groups.count : 0), size_(needed ? size : 0), sums_(groups_ * size_, 0.0) {}

  [[nodiscard]] double* group(std::size_t index) noexcept { return sums_.data() + index * size_; }

  /// Adds the groups in order.
  [[nodiscard]] std::vector<double> total() const {
    std::vector<double> sum(size_, 0.0);
    for (std::size_t i = 0; i < sums_.size(); ++i) sum[i % size_] += sums_[i];
    return sum;
  }

 private:
  std::size_t groups_;
  std::size_t size_;
  std::vector<double> sums_;
};

template <class Real>
void narrow(std::span<const double> from, std::span<Real> to) noexcept {
  std::transform(from.begin(), from.end(), to.begin(), [](double value) { return static_cast<Real>(value); });
}

/// Where the gradient of rows goes that the batch either has one each of, or shares.
template <class Real>
class RowGradient {
 public:
  /// Nothing is computed for an empty `to`; `shared` says whether its one row is for all.
  RowGradient(Rows<Real> to, bool shared, Groups groups)
      : to_(to), shared_(shared), sums_(!to.empty() && shared, groups, to.columns) {}

  /// What row `row`, of `group`, contributes.
  void take(std::size_t group, std::size_t row, std::span<const double> values) noexcept {
    if (to_.empty()) return;
    if (!shared_) return narrow<Real>(values, to_.row(row));
    double* const sum = sums_.group(group);
    for (std::size_t i = 0; i < values.size(); ++i) sum[i] += values[i];
  }
  /// After the last take.
  void finish() const {
    if (!to_.empty() && shared_) narrow<Real>(sums_.total(), to_.row(0));
  }

 private:
  Rows<Real> to_;
  bool shared_;
  GroupSums sums_;
};

/// The same for one number per row, `shared` or not.
inline void sum_or_copy(std::span<const double> by_row, bool shared, std::span<double> to) noexcept {
  if (to.empty()) return;
  if (shared) {
    to[0] = std::accumulate(by_row.begin(), by_row.end(), 0.0);
  } else {
    std::copy(by_row.begin(), by_row.end(), to.begin());
  }
}

}  // namespace diffeo
