// Tensors of torch as tensors of a file, and back.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "diffeo/tensor_file.hpp"

namespace diffeo {

/// float32, float64, int64 and uint8; std::invalid_argument for others.
[[nodiscard]] NamedTensor named_tensor(std::string name, const at::Tensor& tensor);
[[nodiscard]] at::Tensor tensor_of(const NamedTensor& tensor);

/// Copies into `target` what `file` has under `name`; std::invalid_argument, naming it, where it is missing or has
/// another type or shape.
void copy_from_file(const TensorFile& file, const std::string& name, const at::Tensor& target);

}  // namespace diffeo
