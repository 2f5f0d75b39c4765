// Tensors of the files of this layer: read with their number of dimensions checked, and sets of series among them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "diffeo/dataset.hpp"
#include "diffeo/matrix.hpp"
#include "diffeo/tensor_file.hpp"

namespace diffeo {

/// std::invalid_argument if there is none, or if it has another number of dimensions.
[[nodiscard]] const NamedTensor& tensor_named(const TensorFile& file, const std::string& name, std::size_t dimensions);

[[nodiscard]] NamedTensor matrix_tensor(const std::string& name, const Matrix& matrix);
[[nodiscard]] Matrix matrix_of(const TensorFile& file, const std::string& name);

/// (cases, channels, length) of equally long series.
[[nodiscard]] NamedTensor series_tensor(const std::string& name, const Dataset& series);
/// The reverse; labels are `classes`, one for each case, or none.
[[nodiscard]] Dataset series_of(const TensorFile& file, const std::string& name,
                                const std::vector<std::string>& classes);

/// The label of each case; none without labels.
[[nodiscard]] std::vector<std::string> labels_of(const Dataset& series);

}  // namespace diffeo
