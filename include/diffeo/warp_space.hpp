// The space of continuous, piecewise affine velocity fields on a tessellation, and four bases of it.
//
// The velocities v at the cells + 1 vertices determine a field. With zero_boundary those at the two ends
// are 0, and the warps fix the ends of the domain. Optimization and learning use theta, the
// field's coordinates in a basis of the null space of the constraints L (constraints.hpp):
//   vec(A) = B theta   affine_basis, (2 cells, d): the coefficients (a_1, b_1, a_2, b_2, ...), L B = 0
//   v      = W theta   vertex_basis, (cells + 1, d): the vertex velocities, the input of the flow
// where B has the affine coefficients of the columns of W, and d = cells + 1, or cells - 1 with zero_boundary.
//
//   sparse   hat functions: theta is the free vertex velocities themselves
//   rref     from the reduced row echelon form of L: theta is the coefficients a_c or b_c that the form
//            leaves free, in the order of vec(A). A vertex within rounding of 0 counts as 0
//   qr       orthonormal B: the hat functions from left to right, each made orthogonal to those before it.
//            Column k is positive at its own vertex and zero at the vertices after it
//   svd      orthonormal B: the left singular vectors of the map from free velocities to vec(A), smallest
//            singular value (smoothest field) first. In every column of W the first entry of at least half
//            the largest magnitude is positive
//
// The bases describe the same fields but differ in the meaning of "small theta". qr and svd are orthonormal to
// rounding times the condition number of that map: 1e-12 for 512 cells on [0, 1].
//
//   * construction: O(cells), and for svd O(cells^3), 0.1 s at 512 cells
//   * velocities, theta, theta_gradient: O(cells) per row, for svd O(cells^2)
//   * float rows are computed in double and rounded once; the result of a row does not depend on the batch
//   * a space is an immutable value: cheap to copy, safe to share between threads
//   * std::invalid_argument for one cell with zero_boundary (only the zero field), for svd and dense
//     matrices above kMaximumDenseCells cells, for mismatched shapes and non-finite values
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "diffeo/constraints.hpp"
#include "diffeo/matrix.hpp"
#include "diffeo/rows.hpp"
#include "diffeo/tessellation.hpp"

namespace diffeo {

enum class Basis { svd, qr, rref, sparse };

/// "svd", "qr", "rref" or "sparse".
[[nodiscard]] std::string_view basis_name(Basis basis) noexcept;
/// The basis with that name; std::invalid_argument lists the valid names.
[[nodiscard]] Basis basis_from_name(std::string_view name);

struct Recursion;
struct Modes;

class WarpSpace {
 public:
  explicit WarpSpace(std::size_t cells, bool zero_boundary = true, Basis basis = Basis::svd, double lower = 0.0,
                     double upper = 1.0);

  [[nodiscard]] const Tessellation& tessellation() const noexcept { return tessellation_; }
  [[nodiscard]] bool zero_boundary() const noexcept { return zero_boundary_; }
  [[nodiscard]] Basis basis() const noexcept { return basis_; }
  [[nodiscard]] std::size_t dimension() const noexcept {
    return zero_boundary_ ? tessellation_.cells() - 1 : tessellation_.cells() + 1;
  }

  /// L, B and W, dense.
  [[nodiscard]] Matrix constraints() const;
  [[nodiscard]] Matrix affine_basis() const;
  [[nodiscard]] Matrix vertex_basis() const;

  /// velocities = W theta, for one field or row by row.
  [[nodiscard]] std::vector<double> velocities(std::span<const double> theta) const;
  void velocities(std::span<const double> theta, std::span<double> velocities) const;
  void velocities(Rows<const double> theta, Rows<double> velocities) const;
  void velocities(Rows<const float> theta, Rows<float> velocities) const;

  /// The theta that minimizes |W theta - velocities|. That is the inverse of `velocities` on the space.
  /// Outside it (with zero_boundary, velocities that are not zero at the ends) the values at the ends are
  /// ignored.
  [[nodiscard]] std::vector<double> theta(std::span<const double> velocities) const;
  void theta(std::span<const double> velocities, std::span<double> theta) const;
  void theta(Rows<const double> velocities, Rows<double> theta) const;
  void theta(Rows<const float> velocities, Rows<float> theta) const;

  /// theta_gradients = W^T velocity_gradients: maps the gradient of a loss from velocities to theta.
  /// Non-finite values pass through.
  void theta_gradient(std::span<const double> velocity_gradients, std::span<double> theta_gradients) const;
  void theta_gradient(Rows<const double> velocity_gradients, Rows<double> theta_gradients) const;
  void theta_gradient(Rows<const float> velocity_gradients, Rows<float> theta_gradients) const;

 private:
  Tessellation tessellation_;
  bool zero_boundary_;
  Basis basis_;
  std::shared_ptr<const std::variant<Recursion, Modes>> coordinates_;
};

}  // namespace diffeo
