#include "diffeo/file_error.hpp"

#include <system_error>
#include <utility>

namespace diffeo {
namespace {

std::string described(const FilePlace& place, const std::string& problem) {
  std::string text = place.file;
  if (place.line != 0) text += ":" + std::to_string(place.line);
  if (place.line != 0 && place.column != 0) text += ":" + std::to_string(place.column);
  return text + ": " + problem;
}

}  // namespace

FileError::FileError(FilePlace place, const std::string& problem)
    : std::runtime_error(described(place, problem)), place_(std::move(place)) {}

FileAccessError::FileAccessError(std::string file, const std::string& attempt, int error_number)
    : FileError({std::move(file)}, "cannot be " + attempt + ": " + std::generic_category().message(error_number)),
      error_number_(error_number) {}

}  // namespace diffeo
