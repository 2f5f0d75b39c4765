// Cholesky factors of many small matrices at once, one in every lane.
//
// A factorization of 15 x 15 numbers leaves a vector unit idle: its loops are short and every step waits for the one
// before. Eight of them side by side have no remainders and nothing to wait for. Each lane computes what it would
// compute alone, in the same order for every length of vector.
//
// The factor L holds 1 / L_jj on its diagonal: it is only ever divided by.
#pragma once

#include "align/kernels/kernel_set.hpp"
#include "core/kernels/elementary.hpp"
#include "core/kernels/lanes.hpp"

namespace diffeo::kernels::DIFFEO_TARGET {

inline constexpr std::size_t kPackVectors = kPackSize / kLaneCount<double>;

/// One number of every system of a pack.
struct Pack {
  DoubleLanes lanes[kPackVectors];

  static DIFFEO_MEMBER Pack at(const double* from) {
    Pack result;
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kPackVectors; ++v) result.lanes[v] = load<DoubleLanes>(from + v * kLaneCount<double>);
    return result;
  }
  DIFFEO_MEMBER void put(double* to) const {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kPackVectors; ++v) store(to + v * kLaneCount<double>, lanes[v]);
  }
  /// this + a * b
  DIFFEO_MEMBER void add(const Pack& a, const Pack& b) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kPackVectors; ++v) lanes[v] = mul_add(a.lanes[v], b.lanes[v], lanes[v]);
  }
  /// this - a * b
  DIFFEO_MEMBER void subtract(const Pack& a, const Pack& b) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kPackVectors; ++v) lanes[v] = mul_add(-a.lanes[v], b.lanes[v], lanes[v]);
  }
  DIFFEO_MEMBER void scale(const Pack& a) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kPackVectors; ++v) lanes[v] = lanes[v] * a.lanes[v];
  }
};

DIFFEO_INLINE double* entry(const SystemPack& systems, std::size_t row, std::size_t column) {
  return systems.matrices + (triangle(row) + column) * kPackSize;
}
DIFFEO_INLINE Pack entry_at(const SystemPack& systems, std::size_t row, std::size_t column) {
  return Pack::at(entry(systems, row, column));
}

DIFFEO_INLINE DoubleLanes square_root(DoubleLanes values) {
#if DIFFEO_VECTOR_BYTES == 64 && defined(__AVX512F__)
  return (DoubleLanes)_mm512_maskz_sqrt_pd((__mmask8)-1, (__m512d)values);
#elif DIFFEO_VECTOR_BYTES == 32 && defined(__AVX2__)
  return (DoubleLanes)_mm256_sqrt_pd((__m256d)values);
#else
  DoubleLanes result = {};
  for (std::size_t lane = 0; lane < kLaneCount<double>; ++lane) result[lane] = __builtin_sqrt(values[lane]);
  return result;
#endif
}

/// Column by column, each from those before it; `kRows` of its rows at a time, which do not wait for each other.
template <std::size_t kRows>
DIFFEO_INLINE void factor_rows(const SystemPack& systems, std::size_t row, std::size_t column) {
  Pack sums[kRows];
  for (std::size_t r = 0; r < kRows; ++r) sums[r] = entry_at(systems, row + r, column);
  for (std::size_t k = 0; k < column; ++k) {
    const Pack other = entry_at(systems, column, k);
#pragma GCC unroll 4
    for (std::size_t r = 0; r < kRows; ++r) sums[r].subtract(entry_at(systems, row + r, k), other);
  }
  const Pack inverse = entry_at(systems, column, column);
  for (std::size_t r = 0; r < kRows; ++r) {
    sums[r].scale(inverse);
    sums[r].put(entry(systems, row + r, column));
  }
}

DIFFEO_INLINE void factor(const SystemPack& systems) {
  for (std::size_t column = 0; column < systems.size; ++column) {
    Pack diagonal = entry_at(systems, column, column);
    for (std::size_t k = 0; k < column; ++k) {
      const Pack own = entry_at(systems, column, k);
      diagonal.subtract(own, own);
    }
    for (DoubleLanes& lanes : diagonal.lanes) lanes = splat<DoubleLanes>(1.0) / square_root(lanes);
    diagonal.put(entry(systems, column, column));
    std::size_t row = column + 1;
    for (; row + 4 <= systems.size; row += 4) factor_rows<4>(systems, row, column);
    for (; row < systems.size; ++row) factor_rows<1>(systems, row, column);
  }
}

DIFFEO_INLINE void fill_log_determinants(const SystemPack& systems, double* logs) {
  Pack sum = {};
  for (std::size_t row = 0; row < systems.size; ++row) {
    const Pack inverse = entry_at(systems, row, row);
    for (std::size_t v = 0; v < kPackVectors; ++v) {
      sum.lanes[v] += splat<DoubleLanes>(2.0) * log_ratio(splat<DoubleLanes>(1.0), inverse.lanes[v]);
    }
  }
  sum.put(logs);
}

DIFFEO_INLINE double* vector_entry(const SystemPack& systems, std::size_t row) {
  return systems.vectors + row * kPackSize;
}

DIFFEO_INLINE void solve_lower(const SystemPack& systems) {
  for (std::size_t row = 0; row < systems.size; ++row) {
    Pack sum = Pack::at(vector_entry(systems, row));
    for (std::size_t k = 0; k < row; ++k) sum.subtract(entry_at(systems, row, k), Pack::at(vector_entry(systems, k)));
    sum.scale(entry_at(systems, row, row));
    sum.put(vector_entry(systems, row));
  }
}

/// L^{-1} in place, from its last column to its first: entry (i, j) needs L in column j and L^{-1} right of it.
DIFFEO_INLINE void invert_factor(const SystemPack& systems) {
  for (std::size_t column = systems.size; column-- > 0;) {
    const Pack diagonal = entry_at(systems, column, column);
    for (std::size_t row = systems.size; row-- > column + 1;) {
      Pack sum = {};
      for (std::size_t k = column + 1; k <= row; ++k) {
        sum.subtract(entry_at(systems, row, k), entry_at(systems, k, column));
      }
      sum.scale(diagonal);
      sum.put(entry(systems, row, column));
    }
  }
}

/// A^{-1} = L^{-T} L^{-1}: entry (i, j), i >= j, sums over the rows from i on, so that it may take the place of what
/// later entries do not need.
DIFFEO_INLINE void invert(const SystemPack& systems) {
  invert_factor(systems);
  for (std::size_t row = 0; row < systems.size; ++row) {
    for (std::size_t column = 0; column <= row; ++column) {
      Pack sum = {};
      for (std::size_t k = row; k < systems.size; ++k) {
        sum.add(entry_at(systems, k, row), entry_at(systems, k, column));
      }
      sum.put(entry(systems, row, column));
    }
  }
}

DIFFEO_INLINE void multiply(const SystemPack& systems, double* products) {
  for (std::size_t row = 0; row < systems.size; ++row) {
    Pack sum = {};
    for (std::size_t column = 0; column < systems.size; ++column) {
      const Pack own = row < column ? entry_at(systems, column, row) : entry_at(systems, row, column);
      sum.add(own, Pack::at(vector_entry(systems, column)));
    }
    sum.put(products + row * kPackSize);
  }
}

}  // namespace diffeo::kernels::DIFFEO_TARGET
