// NumPy arrays as the views the core takes, and results as NumPy arrays.
//
// The Python layer (python/diffeo/_arrays.py) has settled precision, memory layout and dimensions before
// anything arrives here, so inputs are looked at in place and never copied. An array with too few dimensions
// is still an IndexError, not a read out of bounds; everything else is checked by the core.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "diffeo/matrix.hpp"
#include "diffeo/rows.hpp"
#include "diffeo/sample.hpp"

namespace diffeo::python {

namespace py = pybind11;

/// A C-contiguous array; arguments of this type are taken without conversion (see `exact`).
template <class Real>
using Array = py::array_t<Real, py::array::c_style>;
template <class Real>
using OptionalArray = std::optional<Array<Real>>;

/// An argument that is refused rather than converted, so that float and double overloads stay apart.
[[nodiscard]] inline py::arg exact(const char* name) {
  py::arg argument(name);
  argument.noconvert();
  return argument;
}

template <class Real>
[[nodiscard]] std::size_t extent(const Array<Real>& array, int axis) {
  return static_cast<std::size_t>(array.shape(axis));
}

template <class Real>
[[nodiscard]] Rows<const Real> rows(const Array<Real>& array) {
  return {array.data(), extent(array, 0), extent(array, 1)};
}
template <class Real>
[[nodiscard]] Rows<Real> mutable_rows(Array<Real>& array) {
  return {array.mutable_data(), extent(array, 0), extent(array, 1)};
}
template <class Real>
[[nodiscard]] Series<const Real> series(const Array<Real>& array) {
  return {array.data(), extent(array, 0), extent(array, 1), extent(array, 2)};
}
template <class Real>
[[nodiscard]] Series<Real> mutable_series(Array<Real>& array) {
  return {array.mutable_data(), extent(array, 0), extent(array, 1), extent(array, 2)};
}
[[nodiscard]] inline std::span<const double> values(const Array<double>& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}
[[nodiscard]] inline std::span<double> mutable_values(Array<double>& array) {
  return {array.mutable_data(), static_cast<std::size_t>(array.size())};
}

/// An empty view where there is no array: the core reads that as "not given" or "not wanted".
template <class Real>
[[nodiscard]] Rows<const Real> rows(const OptionalArray<Real>& array) {
  return array ? rows(*array) : Rows<const Real>();
}
template <class Real>
[[nodiscard]] Rows<Real> mutable_rows(OptionalArray<Real>& array) {
  return array ? mutable_rows(*array) : Rows<Real>();
}
template <class Real>
[[nodiscard]] Series<Real> mutable_series(OptionalArray<Real>& array) {
  return array ? mutable_series(*array) : Series<Real>();
}
[[nodiscard]] inline std::span<double> mutable_values(OptionalArray<double>& array) {
  return array ? mutable_values(*array) : std::span<double>();
}

/// A new array, not initialized.
template <class Real, class... Extents>
[[nodiscard]] Array<Real> new_array(Extents... extents) {
  return Array<Real>(std::vector<py::ssize_t>{static_cast<py::ssize_t>(extents)...});
}

/// A new array of the shape of `model` where it is wanted.
template <class Real>
[[nodiscard]] OptionalArray<Real> new_array_if(bool wanted, const Array<Real>& model) {
  if (!wanted) return std::nullopt;
  return Array<Real>(std::vector<py::ssize_t>(model.shape(), model.shape() + model.ndim()));
}

/// The matrix as an array that owns it: nothing is copied.
[[nodiscard]] inline Array<double> array_of(Matrix&& matrix) {
  auto owned = std::make_unique<Matrix>(std::move(matrix));
  const std::vector<py::ssize_t> shape = {static_cast<py::ssize_t>(owned->rows()),
                                          static_cast<py::ssize_t>(owned->columns())};
  const double* const first = owned->values().data();
  const py::capsule owner(owned.get(), [](void* held) { delete static_cast<Matrix*>(held); });
  owned.release();
  return Array<double>(shape, first, owner);
}

/// Runs `work` while other Python threads may run; gives back what it returns. Views of arrays are made
/// before.
template <class Work>
decltype(auto) without_gil(const Work& work) {
  const py::gil_scoped_release release;
  return work();
}

/// As without_gil, for work on the series that an estimator was given: where they are refused, whatever they are called
/// there, they are Python's argument X.
template <class Work>
decltype(auto) on_series_x(const Work& work) {
  try {
    return without_gil(work);
  } catch (const std::invalid_argument& problem) {
    const std::string_view text = problem.what();
    for (const std::string_view name : {"training: ", "series: "}) {
      if (text.starts_with(name)) throw std::invalid_argument("X: " + std::string(text.substr(name.size())));
    }
    if (text.starts_with("case ")) throw std::invalid_argument("X: " + std::string(text));
    throw;
  }
}

/// KeyboardInterrupt, where Ctrl-C was pressed since the last look. Solvers ask for it from the thread that called
/// them, so the exception travels through them to Python.
inline void raise_pending_interrupt() {
  const py::gil_scoped_acquire held;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

}  // namespace diffeo::python
