// A group whose processes are threads of one: what processes do together, without any.
//
//   in_threads(3, [&](const Group& group) { ... });     // three times at once, each with its own rank
//
// What one of them throws comes out of in_threads when all are done; none may throw while others wait for it.
#pragma once

#include <torch/torch.h>

#include <barrier>
#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "diffeo/torch/group.hpp"

namespace diffeo::testing {

/// Where the threads meet: every one puts down its tensors, and takes their sum in the order of the ranks.
struct Meeting {
  explicit Meeting(std::size_t size) : places(size), everyone(static_cast<std::ptrdiff_t>(size)) {}
  std::vector<const std::vector<at::Tensor>*> places;
  std::barrier<> everyone;
};

class ThreadCollective final : public Collective {
 public:
  ThreadCollective(std::shared_ptr<Meeting> meeting, std::size_t rank) : meeting_(std::move(meeting)), rank_(rank) {}

  [[nodiscard]] std::size_t rank() const noexcept override { return rank_; }
  [[nodiscard]] std::size_t size() const noexcept override { return meeting_->places.size(); }

  void sum(const std::vector<at::Tensor>& tensors) const override {
    meeting_->places[rank_] = &tensors;
    meeting_->everyone.arrive_and_wait();
    std::vector<at::Tensor> sums;
    for (std::size_t i = 0; i < tensors.size(); ++i) sums.push_back(sum_of(i));
    meeting_->everyone.arrive_and_wait();  // before anybody changes what others read
    for (std::size_t i = 0; i < tensors.size(); ++i) tensors[i].copy_(sums[i]);
    meeting_->everyone.arrive_and_wait();
  }

 private:
  [[nodiscard]] at::Tensor sum_of(std::size_t i) const {
    at::Tensor sum = (*meeting_->places[0])[i].clone();
    for (std::size_t rank = 1; rank < size(); ++rank) sum += (*meeting_->places[rank])[i];
    return sum;
  }

  std::shared_ptr<Meeting> meeting_;
  std::size_t rank_;
};

inline void in_threads(std::size_t size, const std::function<void(const Group&)>& work) {
  const auto meeting = std::make_shared<Meeting>(size);
  std::vector<std::exception_ptr> failures(size);
  {
    std::vector<std::jthread> threads;
    for (std::size_t rank = 0; rank < size; ++rank) {
      threads.emplace_back([&, rank] {
        try {
          work(Group(std::make_shared<ThreadCollective>(meeting, rank)));
        } catch (...) {
          failures[rank] = std::current_exception();
        }
      });
    }
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace diffeo::testing
