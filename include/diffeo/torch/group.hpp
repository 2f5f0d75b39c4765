// The processes that train one aligner together, each with its own part of the series; or this process alone.
//
//   Group alone;                                   // costs nothing: sum gives back what it was given
//   Group group = Group::named(name);              // a process group that torch.distributed has formed in Python
//   at::Tensor total = group.sum(share);           // differentiable: what comes back is summed over processes, too
//
// Every process computes its share of the loss: the part that its own series add to it. What a share depends on beside
// them (means of classes, statistics of batch normalisation) are sums over all processes. So the gradient of the whole
// loss by the weights is the sum of the gradients of the shares, and `sum_gradients` makes it.
//
//   * all processes make the same calls in the same order, with tensors of the same shapes and types
//   * sums are the same bits in all processes, and from run to run with the same number of them
//   * std::runtime_error where another process is gone; std::invalid_argument for a name that no group has
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace at {
class Tensor;
}

namespace diffeo {

/// How processes reach each other.
class Collective {
 public:
  virtual ~Collective() = default;
  [[nodiscard]] virtual std::size_t rank() const noexcept = 0;  ///< from 0
  [[nodiscard]] virtual std::size_t size() const noexcept = 0;
  /// Puts into every tensor its sum over all processes; contiguous tensors, all of them under way at once.
  virtual void sum(const std::vector<at::Tensor>& tensors) const = 0;
};

/// What went wrong went wrong in another process, which says so itself.
class FailedElsewhere : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Group {
 public:
  /// This process alone.
  Group() = default;
  explicit Group(std::shared_ptr<const Collective> collective);
  /// That of torch.distributed, by the `group_name` it has in Python.
  [[nodiscard]] static Group named(const std::string& name);

  [[nodiscard]] bool alone() const noexcept { return collective_ == nullptr; }
  [[nodiscard]] std::size_t rank() const noexcept { return alone() ? 0 : collective_->rank(); }
  [[nodiscard]] std::size_t size() const noexcept { return alone() ? 1 : collective_->size(); }
  /// The one that writes files and tells how it goes.
  [[nodiscard]] bool is_first() const noexcept { return rank() == 0; }

  [[nodiscard]] at::Tensor sum(const at::Tensor& share) const;
  [[nodiscard]] double sum(double share) const;
  /// In place, and without a gradient.
  void sum(std::vector<double>& shares) const;
  void sum_in_place(const at::Tensor& share) const;
  /// In buckets; a parameter that has no gradient here counts as one with zeros. `numbers` go along, in place.
  void sum_gradients(const std::vector<at::Tensor>& parameters, std::vector<double>& numbers) const;

  /// What every process gives, in the order of their ranks.
  [[nodiscard]] std::vector<std::string> gathered(const std::string& own) const;
  /// What the first process gives; what the others give is not looked at.
  [[nodiscard]] std::string of_first(const std::string& own) const;
  /// Where `work` throws in some processes it fails in all: the first of them throws what it has caught, the others
  /// FailedElsewhere. `work` itself calls nothing of the group.
  void together(const std::function<void()>& work) const;

  [[nodiscard]] const std::shared_ptr<const Collective>& collective() const noexcept { return collective_; }

 private:
  std::shared_ptr<const Collective> collective_;  // none: alone
};

}  // namespace diffeo
