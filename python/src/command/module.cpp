// The command line for the package diffeo_command, as its modules _without_torch and _with_torch.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstddef>
#include <string>
#include <vector>

#include "cli/run.hpp"

namespace {

int run(std::vector<std::string> arguments, const std::string& group, std::size_t processes_here, bool is_restart) {
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);  // as main() gets them
  return diffeo::cli::run(static_cast<int>(arguments.size()), pointers.data(), {group, processes_here, is_restart});
}

void define(pybind11::module_& module) {
  module.doc() = "The command line of diffeo as a function. The package `diffeo_command` calls it.";
  module.attr("needed_torch") = DIFFEO_NEEDED_TORCH;
  module.def("run", run, pybind11::arg("arguments"), pybind11::arg("group") = "", pybind11::arg("processes_here") = 1,
             pybind11::arg("is_restart") = false, pybind11::call_guard<pybind11::gil_scoped_release>(),
             "Does what the arguments say, the first of which is the program's name, and answers the exit code.");
}

}  // namespace

// Python asks a module for the name it has; what it is linked with makes the difference.
PYBIND11_MODULE(_without_torch, module) { define(module); }
PYBIND11_MODULE(_with_torch, module) { define(module); }
