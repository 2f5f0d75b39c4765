// Tensors as the views that the core takes, and the checks before that.
#pragma once

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/from_blob.h>
#include <c10/util/Exception.h>

#include <cstddef>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "diffeo/rows.hpp"
#include "diffeo/sample.hpp"

namespace diffeo::tensors {

[[nodiscard]] inline std::size_t extent(const at::Tensor& tensor, std::int64_t axis) {
  return static_cast<std::size_t>(tensor.size(axis));
}

/// One row or several; `tensor` is contiguous.
template <class Real>
[[nodiscard]] Rows<const Real> rows(const at::Tensor& tensor) {
  const std::size_t count = tensor.dim() == 1 ? 1 : extent(tensor, 0);
  return {tensor.const_data_ptr<Real>(), count, extent(tensor, -1)};
}
template <class Real>
[[nodiscard]] Rows<Real> mutable_rows(at::Tensor& tensor) {
  const std::size_t count = tensor.dim() == 1 ? 1 : extent(tensor, 0);
  return {tensor.mutable_data_ptr<Real>(), count, extent(tensor, -1)};
}
template <class Real>
[[nodiscard]] Series<const Real> series(const at::Tensor& tensor) {
  return {tensor.const_data_ptr<Real>(), extent(tensor, 0), extent(tensor, 1), extent(tensor, 2)};
}
template <class Real>
[[nodiscard]] Series<Real> mutable_series(at::Tensor& tensor) {
  return {tensor.mutable_data_ptr<Real>(), extent(tensor, 0), extent(tensor, 1), extent(tensor, 2)};
}

/// Times in double precision, as the core takes them.
[[nodiscard]] inline std::vector<double> times(const at::Tensor& tensor) {
  const at::Tensor doubles = tensor.to(at::kDouble).contiguous();
  const double* const first = doubles.const_data_ptr<double>();
  return {first, first + doubles.numel()};
}

/// Gradients by time, back in the time's own shape and precision.
inline void copy_times(std::vector<double>& gradients, at::Tensor& result) {
  result.copy_(at::from_blob(gradients.data(), result.sizes(), at::TensorOptions().dtype(at::kDouble)));
}

/// Room for the gradient by `argument`; an empty tensor where it is not wanted.
[[nodiscard]] inline at::Tensor like_if(bool wanted, const at::Tensor& argument) {
  return wanted ? at::empty_like(argument, at::MemoryFormat::Contiguous) : at::empty({0}, argument.options());
}

inline void check_precision(const char* name, const at::Tensor& tensor) {
  TORCH_CHECK_TYPE(tensor.scalar_type() == at::kFloat || tensor.scalar_type() == at::kDouble, name,
                   ": expected float32 or float64, got ", tensor.scalar_type());
}

inline void check_same_precision(const char* name, const at::Tensor& tensor, const char* other_name,
                                 const at::Tensor& other) {
  TORCH_CHECK_TYPE(tensor.scalar_type() == other.scalar_type(), name, ": expected ", other.scalar_type(), " as the ",
                   other_name, " have, got ", tensor.scalar_type());
}

/// One time for all items, or one for each.
inline void check_time(const at::Tensor& time, const c10::SymInt& items) {
  TORCH_CHECK_VALUE(time.dim() == 0 || (time.dim() == 1 && time.sym_size(0) == items),
                    "time: expected a number or shape (", items, ",), got ", time.sym_sizes());
  check_precision("time", time);
}

/// torch's own setting, so that one call of torch.set_num_threads rules both.
[[nodiscard]] inline std::size_t threads() { return static_cast<std::size_t>(at::get_num_threads()); }

/// The core's refusals are torch's errors.
template <class Work>
void checked(const char* operation, const Work& work) {
  try {
    work();
  } catch (const std::invalid_argument& error) {
    TORCH_CHECK_VALUE(false, "diffeo::", operation, ": ", error.what());
  }
}

}  // namespace diffeo::tensors
