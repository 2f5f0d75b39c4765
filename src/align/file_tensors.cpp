#include "align/file_tensors.hpp"

#include <algorithm>
#include <cstdint>

#include "diffeo/error.hpp"

namespace diffeo {
namespace {

std::int64_t extent(std::size_t size) { return static_cast<std::int64_t>(size); }

}  // namespace

const NamedTensor& tensor_named(const TensorFile& file, const std::string& name, std::size_t dimensions) {
  const NamedTensor* found = file.find(name);
  require(found != nullptr, name, ": expected a tensor of that name, got none");
  require(found->shape.size() == dimensions, name, ": expected ", dimensions, " dimensions, got ", found->shape.size());
  return *found;
}

NamedTensor matrix_tensor(const std::string& name, const Matrix& matrix) {
  return make_tensor(name, {extent(matrix.rows()), extent(matrix.columns())}, matrix.values());
}

Matrix matrix_of(const TensorFile& file, const std::string& name) {
  const NamedTensor& tensor = tensor_named(file, name, 2);
  Matrix matrix(static_cast<std::size_t>(tensor.shape[0]), static_cast<std::size_t>(tensor.shape[1]));
  std::ranges::copy(tensor.values<double>(), matrix.values().begin());
  return matrix;
}

NamedTensor series_tensor(const std::string& name, const Dataset& series) {
  return make_tensor(name, {extent(series.cases()), extent(series.channels()), extent(series.longest())},
                     series.values());
}

Dataset series_of(const TensorFile& file, const std::string& name, const std::vector<std::string>& classes) {
  const NamedTensor& tensor = tensor_named(file, name, 3);
  const std::vector<double> values = tensor.values<double>();
  require(!values.empty(), name, ": expected at least one value, got none");
  const auto count = static_cast<std::size_t>(tensor.shape[0]);
  require(classes.empty() || classes.size() == count, "classes: expected ", count, " names or none, got ",
          classes.size());
  const std::size_t size = values.size() / count;
  Dataset series(static_cast<std::size_t>(tensor.shape[1]));
  for (std::size_t item = 0; item < count; ++item) {
    const auto one = std::span(values).subspan(item * size, size);
    classes.empty() ? series.add_case(one) : series.add_case(one, classes[item]);
  }
  return series;
}

std::vector<std::string> labels_of(const Dataset& series) {
  std::vector<std::string> names;
  for (std::size_t item = 0; item < series.labels().size(); ++item) names.push_back(series.label(item));
  return names;
}

}  // namespace diffeo
