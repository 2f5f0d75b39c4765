#include "diffeo/archive.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

#include "diffeo/error.hpp"
#include "diffeo/files.hpp"

namespace diffeo {
namespace {

constexpr std::array<std::string_view, 3> kExtensions = {".tsv", ".ts", ".arff"};

/// The file of a data set's part, `_TRAIN` or `_TEST`, in the first form there is.
std::optional<std::filesystem::path> file_of(const std::filesystem::path& folder, std::string_view part) {
  for (const std::string_view extension : kExtensions) {
    const std::filesystem::path file = folder / message(folder.filename().string(), part, extension);
    if (std::filesystem::is_regular_file(file)) return file;
  }
  return std::nullopt;
}

}  // namespace

Archive::Archive(std::filesystem::path directory) : directory_(std::move(directory)) {
  if (!std::filesystem::is_directory(directory_)) {
    throw std::runtime_error(message(directory_.string(), ": expected a folder of data sets, got no folder"));
  }
  for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator(directory_)) {
    if (entry.is_directory() && file_of(entry.path(), "_TRAIN")) names_.push_back(entry.path().filename().string());
  }
  if (names_.empty()) {
    throw std::runtime_error(
        message(directory_.string(), ": expected folders with files NAME/NAME_TRAIN.tsv, .ts or .arff, got none"));
  }
  std::ranges::sort(names_);
}

bool Archive::contains(std::string_view name) const noexcept {
  return std::ranges::binary_search(names_, name, {}, [](const std::string& each) { return std::string_view(each); });
}

Dataset Archive::training(std::string_view name) const { return read(name, "_TRAIN"); }
Dataset Archive::test(std::string_view name) const { return read(name, "_TEST"); }

Dataset Archive::read(std::string_view name, std::string_view part) const {
  require(contains(name), "data set: expected one of the ", names_.size(), " in ", directory_.string(), ", got ", name);
  const std::filesystem::path folder = directory_ / name;
  const std::optional<std::filesystem::path> file = file_of(folder, part);
  if (!file) {
    throw std::runtime_error(
        message(folder.string(), ": expected a file ", name, part, ".tsv, .ts or .arff, got none"));
  }
  return read_dataset(*file);
}

}  // namespace diffeo
