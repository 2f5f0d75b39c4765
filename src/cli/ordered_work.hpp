// Parts taken one after the other, worked on by several threads, and handed on in the order in which they were taken.
//
//   ordered_work<Dataset, Dataset>(jobs, take, work, hand_on);
//
//   * take() gives the next part, or none at the end; it and hand_on(result) are called by one thread at a time. What
//     they do overlaps with the work on other parts
//   * no more than `jobs` parts exist at a time, so memory is bounded whatever the number of parts
//   * the first error in the order of the parts is thrown, after every thread has stopped. Results before it have been
//     handed on, none after
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace diffeo::cli {

template <class Part, class Result>
class OrderedWork {
 public:
  using Take = std::function<std::optional<Part>()>;
  using Work = std::function<Result(Part)>;
  using HandOn = std::function<void(Result)>;

  OrderedWork(Take take, Work work, HandOn hand_on)
      : take_(std::move(take)), work_(std::move(work)), hand_on_(std::move(hand_on)) {}

  void run(std::size_t jobs) {
    {
      std::vector<std::jthread> threads;
      for (std::size_t job = 0; job < jobs; ++job) threads.emplace_back([this] { loop(); });
    }
    if (problem_) std::rethrow_exception(problem_);
  }

 private:
  void loop() noexcept {
    while (true) {
      std::size_t number = 0;
      std::optional<Result> result;
      try {
        std::optional<Part> part = taken(number);
        if (!part) return;
        result.emplace(work_(std::move(*part)));
      } catch (...) {
        stop(number, std::current_exception());
        return;
      }
      if (!handed_on(number, std::move(*result))) return;
    }
  }

  std::optional<Part> taken(std::size_t& number) {
    const std::lock_guard lock(taking_);
    number = next_taken_;
    {
      const std::lock_guard state(handing_);
      if (is_stopped_) return std::nullopt;
    }
    try {
      std::optional<Part> part = take_();
      if (part) ++next_taken_;
      return part;
    } catch (...) {
      stop(number, std::current_exception());  // before another thread may take: the number is still free
      return std::nullopt;
    }
  }

  bool handed_on(std::size_t number, Result result) {
    std::unique_lock lock(handing_);
    turn_.wait(lock, [&] { return next_handed_ == number || (is_stopped_ && number > failed_); });
    if (is_stopped_ && number > failed_) return false;
    try {
      hand_on_(std::move(result));
    } catch (...) {
      note(number, std::current_exception());
    }
    ++next_handed_;
    turn_.notify_all();
    return !is_stopped_;
  }

  void stop(std::size_t number, std::exception_ptr problem) {
    const std::lock_guard lock(handing_);
    note(number, std::move(problem));
  }

  void note(std::size_t number, std::exception_ptr problem) {
    if (!is_stopped_ || number < failed_) {
      problem_ = std::move(problem);
      failed_ = number;
    }
    is_stopped_ = true;
    turn_.notify_all();
  }

  Take take_;
  Work work_;
  HandOn hand_on_;
  std::mutex taking_;
  std::size_t next_taken_ = 0;
  std::mutex handing_;  // of everything below
  std::condition_variable turn_;
  std::size_t next_handed_ = 0;
  bool is_stopped_ = false;
  std::size_t failed_ = 0;
  std::exception_ptr problem_;
};

template <class Part, class Result>
void ordered_work(std::size_t jobs, typename OrderedWork<Part, Result>::Take take,
                  typename OrderedWork<Part, Result>::Work work, typename OrderedWork<Part, Result>::HandOn hand_on) {
  OrderedWork<Part, Result>(std::move(take), std::move(work), std::move(hand_on)).run(jobs);
}

}  // namespace diffeo::cli
