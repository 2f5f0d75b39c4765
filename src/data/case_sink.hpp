// Where cases go, whatever the form of the file: a part at a time, in the order of the file.
#pragma once

#include <cstddef>
#include <string>

#include "data/output_file.hpp"
#include "diffeo/dataset.hpp"
#include "diffeo/series_stream.hpp"

namespace diffeo::files {

class CaseSink {
 public:
  CaseSink(OutputFile& file, const SeriesOutline& outline) : file_(file), outline_(outline) {}
  CaseSink(const CaseSink&) = delete;
  CaseSink& operator=(const CaseSink&) = delete;
  virtual ~CaseSink() = default;

  /// FileError where the form cannot hold such a set; then whatever stands before the first case.
  virtual void begin() = 0;
  void add(const Dataset& part);
  /// Whatever stands after the last case.
  virtual void finish() {}

  [[nodiscard]] std::size_t cases() const noexcept { return cases_; }

 protected:
  /// Of forms that take labels as they come.
  virtual void check_labels(const Dataset&) {}
  /// `number` counts the cases of all parts.
  virtual void write_case(const Dataset& part, std::size_t item, std::size_t number) = 0;

  OutputFile& file_;
  const SeriesOutline& outline_;

 private:
  std::size_t cases_ = 0;
};

/// FileError that the file cannot hold the set unless `condition`; `problem` says what, `others` which forms can.
void require_held(bool condition, const OutputFile& file, const std::string& problem, const std::string& others);
/// For forms of one channel.
void require_one_channel(const OutputFile& file, const SeriesOutline& outline);
void require_equally_long(const OutputFile& file, const SeriesOutline& outline);
/// For forms that say at the start what is in the file.
void require_size_known(const OutputFile& file, const SeriesOutline& outline);
/// For forms where an empty label means none; `first` is the number of the part's first case.
void require_labels_not_empty(const OutputFile& file, const Dataset& part, std::size_t first);
/// The name of the file without folder and extension, in one word.
[[nodiscard]] std::string problem_name(const OutputFile& file);

}  // namespace diffeo::files
