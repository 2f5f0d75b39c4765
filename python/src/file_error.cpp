// Bindings of diffeo/file_error.hpp: files with the wrong content are a ValueError, files that the system refuses the
// OSError of its error number (FileNotFoundError, PermissionError, ...). Sizes beyond all memory are a MemoryError.
#include "diffeo/file_error.hpp"

#include <stdexcept>
#include <system_error>

#include "bindings.hpp"

namespace diffeo::python {
namespace {

namespace py = pybind11;

void raise_os_error(const FileAccessError& error) {
  const py::tuple arguments =
      py::make_tuple(error.error_number(), std::generic_category().message(error.error_number()), error.place().file);
  PyErr_SetObject(PyExc_OSError, py::handle(PyExc_OSError)(*arguments).ptr());
}

void translate(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const FileAccessError& error) {
    raise_os_error(error);
  } catch (const FileError& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  } catch (const std::length_error&) {  // what the standard library says of a size that no memory has
    PyErr_SetString(PyExc_MemoryError, "out of memory");
  }
}

}  // namespace

void define_file_errors(py::module_&) { py::register_local_exception_translator(&translate); }

}  // namespace diffeo::python
