// The command line, and the folder of results that it writes, for the package diffeo_command: its modules _without_torch
// and _with_torch.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/run.hpp"
#include "diffeo/result_store.hpp"

namespace {

using ReleasesGil = pybind11::call_guard<pybind11::gil_scoped_release>;

/// A folder of results that is released by close(): exceptions keep Python's objects alive.
class Results {
 public:
  explicit Results(const std::filesystem::path& directory) : store_(std::make_unique<diffeo::ResultStore>(directory)) {}

  [[nodiscard]] std::string repair() { return store().repair(); }
  std::string add(const std::string& line) { return to_line(store().add(diffeo::result_of_line(line))); }
  void close() { store_.reset(); }

 private:
  diffeo::ResultStore& store() {
    if (store_ == nullptr) throw std::invalid_argument("ResultStore: expected one that is not closed");
    return *store_;
  }

  std::unique_ptr<diffeo::ResultStore> store_;
};

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
             pybind11::arg("is_restart") = false, ReleasesGil(),
             "Does what the arguments say, the first of which is the program's name, and answers the exit code.");
  pybind11::class_<Results>(module, "ResultStore", pybind11::module_local(), pybind11::is_final())
      .def(pybind11::init<const std::filesystem::path&>(), pybind11::arg("directory"), ReleasesGil())
      .def("repair", &Results::repair, "What opening it cut off, in one line; empty if nothing")
      .def("add", &Results::add, pybind11::arg("line"), ReleasesGil(), "Returns the line that counts for its item")
      .def("close", &Results::close, "Releases the folder");
}

}  // namespace

// Python asks a module for the name it has; what it is linked with makes the difference.
PYBIND11_MODULE(_without_torch, module) { define(module); }
PYBIND11_MODULE(_with_torch, module) { define(module); }
