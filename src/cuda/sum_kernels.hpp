// Sums over a batch, in its order: gradients of arguments that the batch shares.
#pragma once

#include <cstddef>

#include "cuda/host_executor.hpp"
#include "cuda/one_point.hpp"

namespace diffeo::cuda {

/// sum(j) += rows(0, j) + rows(1, j) + ...: one thread per column. The first of several passes begins from 0.
struct AddRows {
  static constexpr unsigned kThreads = 128;
  using Shared = Nothing;

  const double* rows;  // (count, columns)
  std::size_t count, columns;
  double* sum;
  bool from_zero;

  template <class Block>
  DIFFEO_HOST_DEVICE void operator()(const Block& block) const {
    block.each_thread([&](unsigned thread) {
      for (std::size_t j = block.index() * kThreads + thread; j < columns; j += block.count() * kThreads) {
        double total = from_zero ? 0.0 : sum[j];
        for (std::size_t row = 0; row < count; ++row) total += rows[row * columns + j];
        sum[j] = total;
      }
    });
  }
};

/// Sums in double, rounded to what the caller wants.
template <class Real>
struct NarrowRow {
  static constexpr unsigned kThreads = 128;
  using Shared = Nothing;

  const double* from;
  std::size_t count;
  Real* to;

  template <class Block>
  DIFFEO_HOST_DEVICE void operator()(const Block& block) const {
    block.each_thread([&](unsigned thread) {
      for (std::size_t j = block.index() * kThreads + thread; j < count; j += block.count() * kThreads) {
        to[j] = static_cast<Real>(from[j]);
      }
    });
  }
};

/// The sum of some numbers, by one block: every thread adds up those that are its own, then one adds up the threads.
struct SumNumbers {
  static constexpr unsigned kThreads = 256;
  struct Shared {
    double of_thread[kThreads];
  };

  const double* numbers;
  std::size_t count;
  double* sum;

  template <class Block>
  DIFFEO_HOST_DEVICE void operator()(const Block& block) const {
    Shared& shared = block.shared();
    block.each_thread([&](unsigned thread) {
      double total = 0;
      for (std::size_t i = thread; i < count; i += kThreads) total += numbers[i];
      shared.of_thread[thread] = total;
    });
    block.each_thread([&](unsigned thread) {
      if (thread != 0) return;
      double total = 0;
      for (unsigned i = 0; i < kThreads; ++i) total += shared.of_thread[i];
      *sum = total;
    });
  }
};

}  // namespace diffeo::cuda
