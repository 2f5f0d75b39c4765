#include "diffeo/dataset.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "diffeo/error.hpp"

namespace diffeo {

Dataset::Dataset(std::size_t channels) : channels_(channels) {
  require(channels > 0, "channels: expected at least 1, got 0");
}

Dataset::Dataset(Series<const double> series) : Dataset(series.channels) {
  require(series.time > 0 || series.cases == 0, "series: expected at least 1 time step, got 0");
  values_.assign(series.data, series.data + series.size());
  for (std::size_t item = 0; item < series.cases; ++item) ends_.push_back((item + 1) * series.channels * series.time);
}

Dataset::Dataset(std::size_t channels, std::vector<double> values, std::span<const std::size_t> lengths)
    : Dataset(channels) {
  std::size_t end = 0;
  for (std::size_t item = 0; item < lengths.size(); ++item) {
    require(lengths[item] > 0, "lengths: expected at least 1, got 0 for case ", item);
    ends_.push_back(end += channels * lengths[item]);
  }
  require(end == values.size(), "values: expected ", end, ", channels times the lengths, got ", values.size());
  values_ = std::move(values);
}

void Dataset::append(std::span<const double> values) {
  require(!values.empty() && values.size() % channels_ == 0, "case ", cases(), ": expected a multiple of ", channels_,
          " values for ", channels_, channels_ == 1 ? " channel" : " channels", ", got ", values.size());
  values_.insert(values_.end(), values.begin(), values.end());
  ends_.push_back(values_.size());
}

void Dataset::add_case(std::span<const double> values) {
  require(!labeled(), "case ", cases(), ": expected a label as those before it have, got none");
  append(values);
}

void Dataset::add_case(std::span<const double> values, std::string_view label) {
  require(empty() || labeled(), "case ", cases(), ": expected no label as those before it, got '", label, "'");
  append(values);
  labels_.push_back(class_number(label));
}

void Dataset::declare_class(std::string_view name) { class_number(name); }

std::size_t Dataset::class_number(std::string_view name) {
  const auto [found, is_new] = class_numbers_.try_emplace(std::string(name), class_names_.size());
  if (is_new) class_names_.emplace_back(name);
  return found->second;
}

void Dataset::set_labels(std::vector<std::size_t> labels, std::vector<std::string> class_names) {
  require(labels.size() == cases(), "labels: expected one per case, ", cases(), ", got ", labels.size());
  for (const std::size_t label : labels) {
    require(label < class_names.size(), "labels: expected numbers below ", class_names.size(),
            ", the number of class names, got ", label);
  }
  std::unordered_map<std::string, std::size_t> numbers;
  for (const std::string& name : class_names) {
    require(numbers.try_emplace(name, numbers.size()).second, "class_names: expected different names, got '", name,
            "' twice");
  }
  labels_ = std::move(labels);
  class_names_ = std::move(class_names);
  class_numbers_ = std::move(numbers);
}

void Dataset::set_labels(std::span<const std::string> names) {
  require(names.size() == cases(), "labels: expected one per case, ", cases(), ", got ", names.size());
  labels_.clear();
  class_names_.clear();
  class_numbers_.clear();
  for (const std::string& name : names) labels_.push_back(class_number(name));
}

void Dataset::reserve(std::size_t cases, std::size_t values) {
  ends_.reserve(cases);
  values_.reserve(values);
}

std::size_t Dataset::shortest() const noexcept {
  std::size_t result = longest();
  for (std::size_t item = 0; item < cases(); ++item) result = std::min(result, length(item));
  return result;
}

std::size_t Dataset::longest() const noexcept {
  std::size_t result = 0;
  for (std::size_t item = 0; item < cases(); ++item) result = std::max(result, length(item));
  return result;
}

bool Dataset::has_missing() const noexcept {
  return std::any_of(values_.begin(), values_.end(), [](double value) { return std::isnan(value); });
}

SeriesView<const double> Dataset::series(std::size_t item) const noexcept {
  const std::size_t begin = item == 0 ? 0 : ends_[item - 1];
  return {values_.data() + begin, channels_, (ends_[item] - begin) / channels_};
}

SeriesView<double> Dataset::series(std::size_t item) noexcept {
  const std::size_t begin = item == 0 ? 0 : ends_[item - 1];
  return {values_.data() + begin, channels_, (ends_[item] - begin) / channels_};
}

Series<const double> Dataset::block() const {
  require(equally_long(), "series: expected equal lengths, got ", shortest(), " to ", longest());
  return {values_.data(), cases(), channels_, longest()};
}

Dataset Dataset::subset(std::span<const std::size_t> items) const {
  Dataset result(channels_);
  for (const std::size_t item : items) {
    require(item < cases(), "subset: expected case numbers below ", cases(), ", got ", item);
    result.add_case(series(item).values());
  }
  result.class_names_ = class_names_;
  result.class_numbers_ = class_numbers_;
  if (labeled()) {
    for (const std::size_t item : items) result.labels_.push_back(labels_[item]);
  }
  return result;
}

std::vector<std::vector<std::size_t>> Dataset::cases_by_class() const {
  std::vector<std::vector<std::size_t>> result(class_names_.size());
  for (std::size_t item = 0; item < labels_.size(); ++item) result[labels_[item]].push_back(item);
  return result;
}

std::vector<std::vector<std::size_t>> Dataset::groups() const {
  if (!labeled()) {
    std::vector<std::size_t> all(cases());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return {std::move(all)};
  }
  std::vector<std::vector<std::size_t>> result = cases_by_class();
  std::erase_if(result, [](const std::vector<std::size_t>& group) { return group.empty(); });
  return result;
}

}  // namespace diffeo
