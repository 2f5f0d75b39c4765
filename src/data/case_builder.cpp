#include "data/case_builder.hpp"

#include <utility>

#include "diffeo/error.hpp"

namespace diffeo::files {
namespace {

/// Cases take more or less text; that much more room is made than they would need at the same size.
constexpr double kSpareRoom = 1.02;

}  // namespace

void CaseBuilder::declare_class(const std::string& name) {
  if (numbers_.try_emplace(name, class_names_.size()).second) class_names_.push_back(name);
}

std::size_t CaseBuilder::class_number(std::string_view label, std::size_t line) {
  const auto [found, is_new] = numbers_.try_emplace(std::string(label), class_names_.size());
  if (is_new) {
    if (!is_utf8(label)) source_.fail(line, 0, "expected a label in UTF-8, got " + in_quotes(label));
    class_names_.emplace_back(label);
  }
  return found->second;
}

void CaseBuilder::end_case(std::size_t channels, std::string_view label, std::size_t line) {
  const bool labeled = !label.empty();
  if (cases() > 0 && labeled != labeled_) {
    source_.fail(line, 0,
                 labeled ? "expected no label as in the lines before, got " + in_quotes(label)
                         : "expected a label as in the lines before, got nothing");
  }
  channels_ = channels;
  labeled_ = labeled;
  if (labeled) labels_.push_back(class_number(label, line));
  lengths_.push_back(open_values() / channels);
  make_room();
  end_ = values_.size();
}

void CaseBuilder::make_room() {
  const std::size_t next = open_values();
  if (is_in_parts_ || source_.bytes_taken() >= source_.bytes() || values_.capacity() - values_.size() > next) return;
  const double ratio =
      static_cast<double>(source_.bytes() - start_) / static_cast<double>(source_.bytes_taken() - start_);
  values_.reserve(static_cast<std::size_t>(static_cast<double>(values_.size()) * ratio * kSpareRoom) + next);
}

Dataset CaseBuilder::take() {
  Dataset result(channels_, std::exchange(values_, {}), lengths_);
  if (labeled_) result.set_labels(std::exchange(labels_, {}), class_names_);
  taken_ += lengths_.size();
  lengths_.clear();
  end_ = 0;
  if (is_in_parts_) values_.reserve(result.values().size());
  return result;
}

Dataset CaseBuilder::finish() {
  if (cases() == 0) source_.fail(0, 0, "expected at least one series, got none");
  return take();
}

}  // namespace diffeo::files
