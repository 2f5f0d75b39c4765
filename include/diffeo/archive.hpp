// A folder of data sets in the layout of the UCR archive: NAME/NAME_TRAIN.tsv and NAME/NAME_TEST.tsv, or .ts, or .arff.
//
//   Archive archive("UCRArchive_2018");
//   for (const std::string& name : archive.names()) use(archive.training(name), archive.test(name));
//
//   * a folder without a training file is not a data set. A missing test file is an error only when it is requested
//   * names are sorted alphabetically
//   * files are read on request and not cached
//   * std::runtime_error for a folder that does not exist or holds no data set; FileError for a file
//     (diffeo/files.hpp); std::invalid_argument for a name that is not in the archive
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "diffeo/dataset.hpp"

namespace diffeo {

class Archive {
 public:
  explicit Archive(std::filesystem::path directory);

  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  [[nodiscard]] bool contains(std::string_view name) const noexcept;

  [[nodiscard]] Dataset training(std::string_view name) const;
  [[nodiscard]] Dataset test(std::string_view name) const;

 private:
  [[nodiscard]] Dataset read(std::string_view name, std::string_view part) const;

  std::filesystem::path directory_;
  std::vector<std::string> names_;
};

}  // namespace diffeo
