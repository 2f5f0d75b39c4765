// diffeo._torch: importing it registers the operators of diffeo/torch/operators.hpp with torch.
//
// They are reached through torch.ops.diffeo; the functions here only make the linker keep them.
#include <torch/extension.h>

#include <exception>
#include <string_view>

#include "bindings.hpp"
#include "diffeo/torch/operators.hpp"

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
  module.doc() = "The part of diffeo that needs torch. Use the package `diffeo.torch` instead.";
  module.attr("torch_version") = TORCH_VERSION;
  using pybind11::arg;
  module.def(
      "flow",
      [](const at::Tensor& velocities, const at::Tensor& points, const at::Tensor& time, double lower, double upper) {
        return diffeo::flow(velocities, points, time, lower, upper);
      },
      arg("velocities"), arg("points"), arg("time"), arg("lower"), arg("upper"));
  module.def(
      "sample", [](const at::Tensor& series, const at::Tensor& positions) { return diffeo::sample(series, positions); },
      arg("series"), arg("positions"));
  module.def(
      "warp",
      [](const at::Tensor& series, const at::Tensor& velocities, const at::Tensor& time, std::int64_t length) {
        return diffeo::warp(series, velocities, time, length);
      },
      arg("series"), arg("velocities"), arg("time"), arg("length"));
  diffeo::python::define_file_errors(module);
  diffeo::python::define_temporal_transformer(module);
  diffeo::python::define_temporal_aligner(module);
}
