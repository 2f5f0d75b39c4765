// How theta becomes free vertex velocities, v = W theta, for each basis.
//
// Three of the four bases are recursions from right to left, so W, its inverse and its transpose cost
// O(cells) and need no matrix:
//   v_i = ratio_i v_{i+1} + gain_i theta_i,   v_last = gain_last theta_last + tail theta_{last-1}
//   sparse   ratio 0, gain 1
//   qr       W = R^{-1} (hat_map.hpp): ratio_i = -R(i, i+1) / R(i, i), gain_i = 1 / R(i, i)
//   rref     the free coefficient of the cell to the right of vertex i is theta_i (make_rref)
// The svd basis keeps its modes, the columns of W, as a dense matrix.
#pragma once

#include <span>
#include <variant>
#include <vector>

#include "core/hat_map.hpp"
#include "diffeo/matrix.hpp"
#include "diffeo/tessellation.hpp"

namespace diffeo {

struct Recursion {
  std::vector<double> ratio;  // the last one is not used
  std::vector<double> gain;
  double tail = 0.0;

  void velocities(std::span<const double> theta, std::span<double> velocities) const noexcept;
  void theta(std::span<const double> velocities, std::span<double> theta) const noexcept;
  void theta_gradient(std::span<const double> gradients, std::span<double> theta_gradient) const noexcept;
};

struct Modes {
  Matrix modes;                         // row k: the velocities of theta = e_k
  std::vector<double> singular_values;  // of H; mode k is the k-th right singular vector over the k-th value

  void velocities(std::span<const double> theta, std::span<double> velocities) const noexcept;
  void theta(std::span<const double> velocities, std::span<double> theta) const noexcept;
  void theta_gradient(std::span<const double> gradients, std::span<double> theta_gradient) const noexcept;
};

using Coordinates = std::variant<Recursion, Modes>;

[[nodiscard]] Recursion make_sparse(std::size_t dimension);
[[nodiscard]] Recursion make_qr(const HatFactorization& hat);
[[nodiscard]] Recursion make_rref(const Tessellation& tessellation, bool zero_boundary);
[[nodiscard]] Modes make_svd(const HatFactorization& hat);

}  // namespace diffeo
