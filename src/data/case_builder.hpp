// Cases as a reader finds them, one after the other, and the data set they make.
//
// Values are appended to values() directly, and become a case by end_case. Cases are given out in parts (take) or all
// together (finish). Room is made ahead, for a part or from how much of the file the cases so far took, so that a large
// set is not copied while it grows.
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
  /// Cases will be taken before there are many: no room for the whole file.
  void give_in_parts() noexcept { is_in_parts_ = true; }

  [[nodiscard]] std::vector<double>& values() noexcept { return values_; }
  /// How many values have been appended since the last case.
  [[nodiscard]] std::size_t open_values() const noexcept { return values_.size() - end_; }
  /// Those that were given out included.
  [[nodiscard]] std::size_t cases() const noexcept { return taken_ + lengths_.size(); }
  /// Cases, and values of these, that wait to be given out.
  [[nodiscard]] std::size_t waiting_cases() const noexcept { return lengths_.size(); }
  [[nodiscard]] std::size_t waiting_values() const noexcept { return end_; }

  /// A class that may come; once there is one, labels must be declared.
  void declare_class(const std::string& name);
  [[nodiscard]] bool is_declared(std::string_view name) const { return numbers_.contains(std::string(name)); }
  [[nodiscard]] const std::vector<std::string>& class_names() const noexcept { return class_names_; }

  /// The open values are a case of `channels` channels that began in that line; an empty label means none, and then no
  /// case may have one.
  void end_case(std::size_t channels, std::string_view label, std::size_t line);
  /// The cases that wait, at least one, as a set that knows every class so far. Room is made for as many values again.
  [[nodiscard]] Dataset take();
  /// The same of the last part, or of the whole; FileError where there was no case at all.
  [[nodiscard]] Dataset finish();

 private:
  [[nodiscard]] std::size_t class_number(std::string_view label, std::size_t line);
  void make_room();

  const TextSource& source_;
  std::uint64_t start_ = 0;
  std::size_t channels_ = 1;
  bool labeled_ = false;
  bool is_in_parts_ = false;
  std::size_t taken_ = 0;
  std::vector<double> values_;
  std::size_t end_ = 0;
  std::vector<std::size_t> lengths_;
  std::vector<std::size_t> labels_;
  std::vector<std::string> class_names_;
  std::unordered_map<std::string, std::size_t> numbers_;
};

}  // namespace diffeo::files
