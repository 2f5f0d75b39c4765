// A set of time series: cases x channels x time.
//
//   * every case has the same number of channels (at least 1); lengths may differ between cases, and within a case all
//     channels are equally long (at least 1)
//   * NaN means missing
//   * either every case has a label or none has. A label is any text. class_names() lists the names as given, in order
//     of first appearance, including declared classes without cases
//   * values are stored as given: nothing is normalized, padded, sorted or filled in. diffeo/prepare.hpp has
//     functions for that
//   * a value: copies are independent; const access from several threads is safe
//   * std::invalid_argument for cases that do not match the set
//
//   Dataset gestures(3);                                   // three channels
//   gestures.add_case(values, "wave");                     // 3 * length values, channel by channel
//   for (std::size_t i = 0; i < gestures.cases(); ++i) use(gestures.series(i).channel(0));
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "diffeo/sample.hpp"

namespace diffeo {

/// A view of one series: channels x time, channel by channel. It owns nothing.
template <class T>
struct SeriesView {
  T* data = nullptr;
  std::size_t channels = 0;
  std::size_t length = 0;

  constexpr SeriesView() = default;
  constexpr SeriesView(T* first, std::size_t channel_count, std::size_t time_count) noexcept
      : data(first), channels(channel_count), length(time_count) {}
  /// One channel.
  constexpr SeriesView(std::span<T> values) noexcept : data(values.data()), channels(1), length(values.size()) {}
  /// A writable view converts to a read-only view.
  template <class U>
  requires(std::is_same_v<const U, T>) constexpr SeriesView(const SeriesView<U>& other) noexcept
      : data(other.data), channels(other.channels), length(other.length) {}

  [[nodiscard]] constexpr std::size_t size() const noexcept { return channels * length; }
  [[nodiscard]] constexpr std::span<T> values() const noexcept { return {data, size()}; }
  [[nodiscard]] constexpr std::span<T> channel(std::size_t index) const noexcept {
    return {data + index * length, length};
  }
};

class Dataset {
 public:
  explicit Dataset(std::size_t channels = 1);
  /// Series of equal length, without labels.
  explicit Dataset(Series<const double> series);
  /// Consecutive cases of the given lengths, without labels; the values are moved, not copied.
  Dataset(std::size_t channels, std::vector<double> values, std::span<const std::size_t> lengths);

  /// Appends a case of channels() * length values, channel by channel. The first case decides whether the set has
  /// labels.
  void add_case(std::span<const double> values);
  void add_case(std::span<const double> values, std::string_view label);
  /// Declares a class, with or without cases; a known name keeps its position.
  void declare_class(std::string_view name);
  /// Labels every case with the class of that number in class_names.
  void set_labels(std::vector<std::size_t> labels, std::vector<std::string> class_names);
  /// Labels every case with that name; classes are in order of first appearance.
  void set_labels(std::span<const std::string> names);
  void reserve(std::size_t cases, std::size_t values);

  [[nodiscard]] std::size_t cases() const noexcept { return ends_.size(); }
  [[nodiscard]] std::size_t channels() const noexcept { return channels_; }
  [[nodiscard]] bool empty() const noexcept { return ends_.empty(); }
  [[nodiscard]] std::size_t length(std::size_t item) const noexcept { return series(item).length; }
  /// 0 if there are no cases.
  [[nodiscard]] std::size_t shortest() const noexcept;
  [[nodiscard]] std::size_t longest() const noexcept;
  [[nodiscard]] bool equally_long() const noexcept { return shortest() == longest(); }
  [[nodiscard]] bool has_missing() const noexcept;

  [[nodiscard]] SeriesView<const double> series(std::size_t item) const noexcept;
  [[nodiscard]] SeriesView<double> series(std::size_t item) noexcept;
  /// All values, case by case.
  [[nodiscard]] std::span<const double> values() const noexcept { return values_; }
  [[nodiscard]] std::span<double> values() noexcept { return values_; }
  /// All cases as one block; std::invalid_argument if lengths differ.
  [[nodiscard]] Series<const double> block() const;

  [[nodiscard]] bool labeled() const noexcept { return !labels_.empty(); }
  /// The class number of every case; empty without labels.
  [[nodiscard]] std::span<const std::size_t> labels() const noexcept { return labels_; }
  [[nodiscard]] const std::vector<std::string>& class_names() const noexcept { return class_names_; }
  [[nodiscard]] const std::string& label(std::size_t item) const noexcept { return class_names_[labels_[item]]; }

  /// The cases with these numbers, in this order; the classes stay the same.
  [[nodiscard]] Dataset subset(std::span<const std::size_t> items) const;
  /// The case numbers of every class: one list per class name.
  [[nodiscard]] std::vector<std::vector<std::size_t>> cases_by_class() const;
  /// The cases that belong together: those of every class that has any; all of them where there are no labels.
  [[nodiscard]] std::vector<std::vector<std::size_t>> groups() const;

 private:
  void append(std::span<const double> values);
  std::size_t class_number(std::string_view name);

  std::size_t channels_;
  std::vector<double> values_;
  std::vector<std::size_t> ends_;  // where in values_ each case ends
  std::vector<std::size_t> labels_;
  std::vector<std::string> class_names_;
  std::unordered_map<std::string, std::size_t> class_numbers_;
};

}  // namespace diffeo
