// The processes that together train one aligner, each with its own part of the series; or a single process.
//
//   Group alone;                                   // costs nothing: sum returns its argument
//   Group group = Group::named(name);              // a process group created by torch.distributed in Python
//   at::Tensor total = group.sum(share);           // differentiable: gradients are summed over processes, too
//
// Every process computes its share of the loss: the part that its own series contribute. What a share needs from other
// processes (class means, batch normalization statistics) are sums over all processes. So the gradient of the whole
// loss by the weights is the sum of the gradients of the shares, and `sum_gradients` computes it.
//
//   * all processes make the same calls in the same order, with tensors of the same shapes and types
//   * sums are bit-identical in all processes, and from run to run with the same number of processes
//   * std::runtime_error if another process is gone; std::invalid_argument for an unknown group name
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

/// Communication between processes.
class Collective {
 public:
  virtual ~Collective() = default;
  [[nodiscard]] virtual std::size_t rank() const noexcept = 0;  ///< from 0
  [[nodiscard]] virtual std::size_t size() const noexcept = 0;
  /// Replaces every tensor by its sum over all processes; contiguous tensors, all in flight at once.
  virtual void sum(const std::vector<at::Tensor>& tensors) const = 0;
};

/// The error occurred in another process, which reports it.
class FailedElsewhere : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Group {
 public:
  /// This process alone.
  Group() = default;
  explicit Group(std::shared_ptr<const Collective> collective);
  /// The group of torch.distributed with this `group_name` in Python.
  [[nodiscard]] static Group named(const std::string& name);

  [[nodiscard]] bool alone() const noexcept { return collective_ == nullptr; }
  [[nodiscard]] std::size_t rank() const noexcept { return alone() ? 0 : collective_->rank(); }
  [[nodiscard]] std::size_t size() const noexcept { return alone() ? 1 : collective_->size(); }
  /// The process that writes files and reports progress.
  [[nodiscard]] bool is_first() const noexcept { return rank() == 0; }

  [[nodiscard]] at::Tensor sum(const at::Tensor& share) const;
  [[nodiscard]] double sum(double share) const;
  /// In place, without gradients.
  void sum(std::vector<double>& shares) const;
  void sum_in_place(const at::Tensor& share) const;
  /// In buckets; a parameter without a gradient here counts as zero. `numbers` are summed with them, in place.
  void sum_gradients(const std::vector<at::Tensor>& parameters, std::vector<double>& numbers) const;

  /// The values of all processes, in the order of their ranks.
  [[nodiscard]] std::vector<std::string> gathered(const std::string& own) const;
  /// The value of the first process; those of the others are ignored.
  [[nodiscard]] std::string of_first(const std::string& own) const;
  /// If `work` throws in some processes, it fails in all: the first of them rethrows its exception, the others throw
  /// FailedElsewhere. `work` itself must not call the group.
  void together(const std::function<void()>& work) const;

  [[nodiscard]] const std::shared_ptr<const Collective>& collective() const noexcept { return collective_; }

 private:
  std::shared_ptr<const Collective> collective_;  // null: alone
};

}  // namespace diffeo
