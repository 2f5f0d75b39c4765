// diffeo._torch: what is computed in C++ with one version of torch, namely training.
//
// Importing it also registers the C++ operators of diffeo/torch/operators.hpp with torch, as torch.ops.diffeo_cpp. Python
// has operators of its own (python/diffeo/torch/_kernels.py), which call these for tensors on a GPU.
#include <torch/extension.h>

#include <exception>
#include <string_view>

#include "bindings.hpp"

namespace {

/// MemoryError where torch found no memory, else what torch itself would raise, without the stack trace; everything else is
/// left to pybind11.
void translate_torch_errors(std::exception_ptr error) {
  try {
    if (error) std::rethrow_exception(error);
  } catch (const c10::Error& problem) {
    if (std::string_view(problem.what()).find("can't allocate memory") != std::string_view::npos) {
      PyErr_SetString(PyExc_MemoryError, "out of memory");
      return;
    }
    torch::translate_exception_to_python(error);
  }
}

}  // namespace

PYBIND11_MODULE(_torch, module) {
  pybind11::register_local_exception_translator(translate_torch_errors);
  module.doc() = "The part of diffeo that needs one version of torch. Use `diffeo.TemporalAligner` instead.";
  module.attr("torch_version") = TORCH_VERSION;
  diffeo::python::define_file_errors(module);
  diffeo::python::define_temporal_transformer(module);
  diffeo::python::define_temporal_aligner(module);
}
