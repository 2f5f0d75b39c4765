#include "named_tensors.hpp"

#include <torch/torch.h>

#include <cstring>

#include "diffeo/error.hpp"

namespace diffeo {
namespace {

DType file_type(at::ScalarType type) {
  switch (type) {
    case at::kFloat:
      return DType::f32;
    case at::kDouble:
      return DType::f64;
    case at::kLong:
      return DType::i64;
    case at::kByte:
      return DType::u8;
    default:
      throw std::invalid_argument(message("tensor: expected float32, float64, int64 or uint8, got ", toString(type)));
  }
}

at::ScalarType torch_type(DType type) {
  switch (type) {
    case DType::f64:
      return at::kDouble;
    case DType::i64:
      return at::kLong;
    case DType::u8:
      return at::kByte;
    case DType::f32:
      break;
  }
  return at::kFloat;
}

}  // namespace

NamedTensor named_tensor(std::string name, const at::Tensor& tensor) {
  const at::Tensor values = tensor.detach().cpu().contiguous();
  NamedTensor result{std::move(name), file_type(values.scalar_type()), values.sizes().vec(), {}};
  const auto* first = static_cast<const std::byte*>(values.const_data_ptr());
  result.bytes.assign(first, first + values.nbytes());
  return result;
}

at::Tensor tensor_of(const NamedTensor& tensor) {
  const at::Tensor result = at::empty(tensor.shape, torch_type(tensor.dtype));
  require(result.nbytes() == tensor.bytes.size(), tensor.name, ": expected ", result.nbytes(), " bytes, got ",
          tensor.bytes.size());
  if (!tensor.bytes.empty()) std::memcpy(result.mutable_data_ptr(), tensor.bytes.data(), tensor.bytes.size());
  return result;
}

void copy_from_file(const TensorFile& file, const std::string& name, const at::Tensor& target) {
  const NamedTensor* found = file.find(name);
  require(found != nullptr, name, ": expected a tensor of that name, got none");
  const at::Tensor values = tensor_of(*found);
  require(values.scalar_type() == target.scalar_type() && values.sizes() == target.sizes(), name, ": expected ",
          toString(target.scalar_type()), " of shape ", target.sizes(), ", got ", toString(values.scalar_type()),
          " of shape ", values.sizes());
  const at::NoGradGuard no_gradients;
  target.copy_(values);
}

}  // namespace diffeo
