// Bindings of diffeo/series_stream.hpp.
#include "diffeo/series_stream.hpp"

#include <pybind11/stl/filesystem.h>

#include <limits>
#include <memory>

#include "arrays.hpp"
#include "bindings.hpp"
#include "diffeo/error.hpp"
#include "label_column.hpp"

namespace diffeo::python {
namespace {

using Path = std::filesystem::path;

SeriesReader reader_of(const Path& path, const LabelArgument& label) { return SeriesReader(path, reading(label)); }

SeriesOutline outline_of_reader(SeriesReader& reader) {
  return without_gil([&] { return reader.outline(); });
}

std::optional<Dataset> next_cases(SeriesReader& reader, std::size_t cases) {
  return without_gil([&] { return reader.next({cases, std::numeric_limits<std::size_t>::max()}); });
}

/// Of one aligned series for each case.
SeriesOutline outline_of_results(SeriesOutline outline, std::size_t length) {
  outline.shortest = outline.longest = length;
  return outline;
}

/// A writer that can be given up before Python forgets about it: an exception keeps it alive.
class PartWriter {
 public:
  PartWriter(const Path& path, SeriesOutline outline)
      : writer_(std::make_unique<SeriesWriter>(path, std::move(outline))) {}

  void write(const Dataset& part) { open().write(part); }
  void finish() { open().finish(); }
  void close() { writer_.reset(); }

 private:
  [[nodiscard]] SeriesWriter& open() {
    require(writer_ != nullptr, "SeriesWriter: expected one that is not closed");
    return *writer_;
  }

  std::unique_ptr<SeriesWriter> writer_;
};

void write_part(PartWriter& writer, const Dataset& part) {
  without_gil([&] { writer.write(part); });
}

void finish_file(PartWriter& writer) {
  without_gil([&] { writer.finish(); });
}

}  // namespace

void define_series_stream(py::module_& module) {
  py::class_<SeriesOutline> outline(module, "SeriesOutline", py::is_final());
  outline.def_readonly("cases", &SeriesOutline::cases);
  outline.def_readonly("channels", &SeriesOutline::channels);
  outline.def_readonly("longest", &SeriesOutline::longest);
  outline.def("of_results", &outline_of_results, py::arg("length"));
  py::class_<SeriesReader> reader(module, "SeriesReader", py::is_final());
  reader.def(py::init(&reader_of), py::arg("path"), py::arg("label"));
  reader.def("outline", &outline_of_reader, "Reads through all of the file, then starts over");
  reader.def("next", &next_cases, py::arg("cases"), "At most that many cases; None at the end");
  py::class_<PartWriter> writer(module, "SeriesWriter", py::is_final());
  writer.def(py::init<const Path&, SeriesOutline>(), py::arg("path"), py::arg("outline"));
  writer.def("write", &write_part, py::arg("part"));
  writer.def("finish", &finish_file, "Gives the file its name");
  writer.def("close", &PartWriter::close, "What was written without finish is gone");
}

}  // namespace diffeo::python
