// What verbs need to know of torch beside its networks.
#pragma once

#include <string>

namespace diffeo::cli {

/// "torch 2.13.0", or "without torch".
[[nodiscard]] std::string torch_version();

/// On the calling thread torch starts no others: whoever calls this is one of several already.
void use_one_torch_thread();

}  // namespace diffeo::cli
