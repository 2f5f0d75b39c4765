// Cases as a reader finds them, one after the other, and the data set they make.
//
// Values are appended to values() directly, and become a case by end_case. Room is made ahead, from how much of the
// file the cases so far took, so that a large set is not copied while it grows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/text_source.hpp"
#include "diffeo/dataset.hpp"

namespace diffeo::files {

class CaseBuilder {
 public:
  explicit CaseBuilder(const TextSource& source) : source_(source) {}

  /// The cases begin here: what came before is a header.
  void start_here() noexcept { start_ = source_.bytes_taken(); }

  [[nodiscard]] std::vector<double>& values() noexcept { return values_; }
  /// How many values have been appended since the last case.
  [[nodiscard]] std::size_t open_values() const noexcept { return values_.size() - end_; }
  [[nodiscard]] std::size_t cases() const noexcept { return lengths_.size(); }
  [[nodiscard]] const std::vector<std::size_t>& lengths() const noexcept { return lengths_; }

  /// A class that may come; once there is one, labels must be declared.
  void declare_class(const std::string& name);
  [[nodiscard]] bool is_declared(std::string_view name) const { return numbers_.contains(std::string(name)); }
  [[nodiscard]] const std::vector<std::string>& class_names() const noexcept { return class_names_; }

  /// The open values are a case of `channels` channels that began in that line; an empty label means none, and then no
  /// case may have one.
  void end_case(std::size_t channels, std::string_view label, std::size_t line);
  /// The set; FileError where there is no case.
  [[nodiscard]] Dataset finish();

 private:
  [[nodiscard]] std::size_t class_number(std::string_view label, std::size_t line);
  void make_room();

  const TextSource& source_;
  std::uint64_t start_ = 0;
  std::size_t channels_ = 1;
  std::vector<double> values_;
  std::size_t end_ = 0;
  std::vector<std::size_t> lengths_;
  std::vector<std::size_t> labels_;
  std::vector<std::string> class_names_;
  std::unordered_map<std::string, std::size_t> numbers_;
};

}  // namespace diffeo::files
