// A training set of which every process of a group holds some series, while all of them know labels and lengths.
//
// Cases are numbered over all processes in turns: the first case of each process, then the second of each, as far as
// they have some. So processes that hold every size-th case of a set, each beginning with its rank, together have that
// set in its own order, and batches drawn from it are those that one process would draw.
//
//   * alone, it is the set itself
//   * the set outlives it
//   * std::invalid_argument where processes do not fit together: other channels, labels in some of them only, none
//     without a series
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "diffeo/dataset.hpp"
#include "diffeo/torch/group.hpp"

namespace diffeo {

/// What this process has of a batch; there may be nothing.
struct BatchShare {
  std::size_t cases = 0;                ///< of the whole batch
  std::size_t longest = 1;              ///< of all its series
  std::vector<std::size_t> items;       ///< the own, by their numbers in the whole set
  std::vector<std::size_t> places;      ///< the same, by their numbers among the own
  std::vector<std::int64_t> positions;  ///< where in the batch they are
};

class SharedSet {
 public:
  SharedSet(const Dataset& own, Group group);

  [[nodiscard]] const Group& group() const noexcept { return group_; }
  /// The series of this process.
  [[nodiscard]] const Dataset& own() const noexcept { return own_; }
  /// Their numbers in the whole set.
  [[nodiscard]] const std::vector<std::size_t>& own_items() const noexcept { return own_items_; }

  [[nodiscard]] std::size_t cases() const noexcept { return lengths_.size(); }
  [[nodiscard]] std::size_t channels() const noexcept { return own_.channels(); }
  [[nodiscard]] std::size_t longest() const noexcept;
  [[nodiscard]] bool labeled() const noexcept { return !labels_.empty(); }
  /// The number of every case's class; empty where there are no labels.
  [[nodiscard]] const std::vector<std::size_t>& labels() const noexcept { return labels_; }
  [[nodiscard]] const std::vector<std::string>& class_names() const noexcept { return class_names_; }

  [[nodiscard]] BatchShare share_of(std::span<const std::size_t> items) const;
  /// Of values, lengths and labels; the same however the set is shared out.
  [[nodiscard]] std::string digest() const;

 private:
  struct Part;  // what a process tells the others
  [[nodiscard]] static std::string told(const Dataset& own);
  [[nodiscard]] static Part part_of(const std::string& told);
  static void check(const std::vector<Part>& parts);
  void number_cases(const std::vector<Part>& parts);
  void name_classes(const std::vector<Part>& parts);

  static constexpr std::size_t kElsewhere = std::numeric_limits<std::size_t>::max();

  const Dataset& own_;
  Group group_;
  std::vector<std::size_t> lengths_;
  std::vector<std::size_t> labels_;
  std::vector<std::string> class_names_;
  std::vector<std::size_t> places_;  // of every case among the own, or kElsewhere
  std::vector<std::size_t> own_items_;
};

}  // namespace diffeo
