// A folder of data sets as the UCR archive has them: NAME/NAME_TRAIN.tsv and NAME/NAME_TEST.tsv, or .ts, or .arff.
//
//   Archive archive("UCRArchive_2018");
//   for (const std::string& name : archive.names()) use(archive.training(name), archive.test(name));
//
//   * a folder without a training file is not a data set; one without a test file is, until its test set is asked for
//   * names are in the order of the alphabet
//   * files are read when they are asked for, and not kept
//   * std::runtime_error for a folder that is not there or holds no data set; FileError for a file (diffeo/files.hpp);
//     std::invalid_argument for a name that is not in the archive
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
