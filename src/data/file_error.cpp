#include "diffeo/file_error.hpp"

#include <system_error>
#include <utility>

#include "data/printable.hpp"
#include "diffeo/error.hpp"

namespace diffeo {
namespace {

std::string described(const FilePlace& place, const std::string& problem) {
  const std::string file = files::printable(place.file, std::string::npos);
  if (place.line == 0) return message(file, ": ", problem);
  if (place.column == 0) return message(file, ":", place.line, ": ", problem);
  return message(file, ":", place.line, ":", place.column, ": ", problem);
}

}  // namespace

FileError::FileError(FilePlace place, const std::string& problem)
    : std::runtime_error(described(place, files::printable(problem))), place_(std::move(place)) {}

FileAccessError::FileAccessError(std::string file, const std::string& attempt, int error_number)
    : FileError({std::move(file)}, "cannot be " + attempt + ": " + std::generic_category().message(error_number)),
      error_number_(error_number) {}

}  // namespace diffeo
