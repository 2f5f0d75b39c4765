#include "data/case_sink.hpp"

#include <filesystem>

#include "diffeo/error.hpp"
#include "diffeo/file_error.hpp"

namespace diffeo::files {

void CaseSink::add(const Dataset& part) {
  check_labels(part);
  for (std::size_t item = 0; item < part.cases(); ++item) write_case(part, item, cases_++);
}

void require_held(bool condition, const OutputFile& file, const std::string& problem, const std::string& others) {
  if (!condition) throw FileError({file.name()}, problem + "; write " + others + " instead");
}

void require_one_channel(const OutputFile& file, const SeriesOutline& outline) {
  require_held(outline.channels == 1, file,
               "expected one channel, got " + std::to_string(outline.channels) + ", which this form cannot hold",
               ".ts or .npz");
}

void require_equally_long(const OutputFile& file, const SeriesOutline& outline) {
  require_held(outline.equally_long(), file,
               message("expected series of one length, got ", outline.shortest, " to ", outline.longest),
               ".ts or .npz");
}

void require_size_known(const OutputFile& file, const SeriesOutline& outline) {
  require_held(outline.cases > 0, file, "expected a set that is known before it is written, got one that is not",
               ".tsv or .csv");
}

void require_labels_not_empty(const OutputFile& file, const Dataset& part, std::size_t first) {
  for (std::size_t item = 0; item < part.labels().size(); ++item) {
    require_held(!part.label(item).empty(), file,
                 "expected labels that are not empty, got an empty one for case " + std::to_string(first + item),
                 ".npz");
  }
}

std::string problem_name(const OutputFile& file) {
  std::string name = std::filesystem::path(file.name()).stem().string();
  for (char& letter : name) {
    if (static_cast<unsigned char>(letter) <= ' ') letter = '_';
  }
  return name.empty() ? "series" : name;
}

}  // namespace diffeo::files
