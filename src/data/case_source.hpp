// Where cases come from, whatever the form of the file: all of them at once, or a part at a time.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "data/case_builder.hpp"
#include "data/input_file.hpp"
#include "data/text_source.hpp"
#include "diffeo/dataset.hpp"
#include "diffeo/series_stream.hpp"

namespace diffeo::files {

class CaseSource {
 public:
  CaseSource() = default;
  CaseSource(const CaseSource&) = delete;
  CaseSource& operator=(const CaseSource&) = delete;
  virtual ~CaseSource() = default;

  /// Everything that is left; FileError where there is no case in the file.
  [[nodiscard]] virtual Dataset all() = 0;
  /// None at the end; FileError where there is no case in the file.
  [[nodiscard]] virtual std::optional<Dataset> next(const PartSize& size) = 0;
  /// How the file is read, in words, where it does not say so itself.
  [[nodiscard]] virtual std::string description() const { return {}; }
};

/// Forms with a case a line: the form itself reads one, into builder_.
class TextCases : public CaseSource {
 public:
  explicit TextCases(InputFile file) : TextCases(TextSource(std::move(file))) {}
  /// Of a source that stands at its start.
  explicit TextCases(TextSource source) : source_(std::move(source)), builder_(source_) {
    source_.watch(builder_.values());
  }

  [[nodiscard]] Dataset all() final;
  [[nodiscard]] std::optional<Dataset> next(const PartSize& size) final;

 protected:
  /// False where there is none.
  [[nodiscard]] virtual bool read_case() = 0;

  TextSource source_;
  CaseBuilder builder_;
};

}  // namespace diffeo::files
