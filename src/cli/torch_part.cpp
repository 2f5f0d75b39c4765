#include "cli/torch_part.hpp"

#include <ATen/Parallel.h>
#include <torch/version.h>

namespace diffeo::cli {

std::string torch_version() { return std::string("torch ") + TORCH_VERSION; }

void use_one_torch_thread() { at::set_num_threads(1); }

}  // namespace diffeo::cli
