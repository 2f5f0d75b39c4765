#include "diffeo/file_error.hpp"

#include <system_error>
#include <utility>

#include "diffeo/error.hpp"

namespace diffeo {
namespace {

std::string described(const FilePlace& place, const std::string& problem) {
  if (place.line == 0) return message(place.file, ": ", problem);
  if (place.column == 0) return message(place.file, ":", place.line, ": ", problem);
  return message(place.file, ":", place.line, ":", place.column, ": ", problem);
}

}  // namespace

FileError::FileError(FilePlace place, const std::string& problem)
    : std::runtime_error(described(place, problem)), place_(std::move(place)) {}

FileAccessError::FileAccessError(std::string file, const std::string& attempt, int error_number)
    : FileError({std::move(file)}, "cannot be " + attempt + ": " + std::generic_category().message(error_number)),
      error_number_(error_number) {}

}  // namespace diffeo
