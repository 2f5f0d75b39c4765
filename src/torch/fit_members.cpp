#include "fit_members.hpp"

#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "checkpoint.hpp"
#include "diffeo/error.hpp"
#include "diffeo/threads.hpp"

namespace diffeo {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kWatchInterval{100};
/// Samples of a batch that keep one of torch's threads busy: with fewer, threads wait for each other more than they
/// work.
constexpr std::int64_t kSamplesPerThread = 8192;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// What workers and the watching thread share.
struct Board {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::pair<EpochRecord, std::int64_t>> records;  // with the epochs of that member
  std::size_t running = 0;
  std::exception_ptr failure;  // the first
  std::atomic<bool> stop = false;

  void fail(std::exception_ptr problem) {
    const std::lock_guard lock(mutex);
    if (!failure) failure = std::move(problem);
    stop = true;
    changed.notify_one();
  }
};

/// Leaves torch's number of threads as it found it.
class TorchThreads {
 public:
  TorchThreads() : before_(at::get_num_threads()) {}
  TorchThreads(const TorchThreads&) = delete;
  TorchThreads& operator=(const TorchThreads&) = delete;
  ~TorchThreads() { at::set_num_threads(before_); }

 private:
  int before_;
};

class Fit {
 public:
  Fit(const TrainingTask& task, const std::vector<MemberPlan>& plans, const FitControl& control)
      : task_(task), plans_(plans), control_(control), members_(plans.size()), trained_(plans.size()) {}

  std::vector<TrainedMember> run() {
    const TorchThreads torch_threads;
    const std::size_t threads = control_.threads == 0 ? available_threads() : control_.threads;
    const std::size_t workers = std::min(threads, members_);
    board_.running = workers;
    std::vector<std::jthread> pool;
    for (std::size_t worker = 0; worker < workers; ++worker) {
      pool.emplace_back([this, share = torch_threads_of(threads / workers)] { work(share); });
    }
    watch();
    pool.clear();  // joins
    if (board_.failure) std::rethrow_exception(board_.failure);
    return std::move(trained_);
  }

 private:
  [[nodiscard]] int torch_threads_of(std::size_t share) const {
    const std::int64_t samples =
        task_.options.batch_size * task_.length * static_cast<std::int64_t>(task_.set->channels());
    const auto useful = static_cast<std::size_t>(std::max<std::int64_t>(1, samples / kSamplesPerThread));
    return static_cast<int>(std::min(share, useful));
  }

  void work(int torch_threads) noexcept {
    at::set_num_threads(torch_threads);
    try {
      for (std::size_t member = next_++; member < members_ && !board_.stop; member = next_++) train(member);
    } catch (...) {
      board_.fail(std::current_exception());
    }
    const std::lock_guard lock(board_.mutex);
    --board_.running;
    board_.changed.notify_one();
  }

  void train(std::size_t member) {
    const auto number = static_cast<std::int64_t>(member);
    MemberTraining training(task_, number, plans_[member].items, plans_[member].effort);
    const Checkpoint checkpoint(control_.checkpoint, task_, number);
    control_.resume ? (void)checkpoint.restore(training) : checkpoint.remove();
    Clock::time_point written = Clock::now();
    try {
      while (!training.finished()) {
        training.run_epoch([this] { return board_.stop.load(); });
        report(training);
        if (training.finished() || seconds_since(written) >= control_.checkpoint_seconds) {
          checkpoint.write(training);
          written = Clock::now();
        }
      }
    } catch (const Interrupted&) {
      checkpoint.write(training);
      throw;
    } catch (const NonFiniteLoss& problem) {
      checkpoint.write(training);  // the last complete epoch was good
      const std::string where = checkpoint.enabled() ? message("; the last good checkpoint is ", checkpoint.file())
                                                     : std::string("; no checkpoint was kept");
      throw NonFiniteLoss(problem.what() + where);
    }
    trained_[member] = {training.network(), training.history()};
  }

  void report(const MemberTraining& training) {
    const std::lock_guard lock(board_.mutex);
    board_.records.emplace_back(training.history().back(), training.epochs());
    board_.changed.notify_one();
  }

  /// Until all workers are done. What callbacks throw stops the workers and comes out of run.
  void watch() {
    std::unique_lock lock(board_.mutex);
    while (board_.running > 0 || !board_.records.empty()) {
      board_.changed.wait_for(lock, kWatchInterval, [&] { return board_.running == 0 || !board_.records.empty(); });
      std::deque<std::pair<EpochRecord, std::int64_t>> records;
      records.swap(board_.records);
      const bool running = board_.running > 0;
      lock.unlock();
      try {
        for (const auto& [record, epochs] : records) hand_on(record, epochs);
        if (running && !board_.stop && control_.stop && control_.stop()) {
          board_.fail(std::make_exception_ptr(Interrupted("training was interrupted")));
        }
      } catch (...) {
        board_.fail(std::current_exception());
      }
      lock.lock();
    }
  }

  void hand_on(const EpochRecord& record, std::int64_t epochs) {
    ++epochs_seen_;
    if (!control_.callback || board_.stop) return;
    // Members differ little in their epochs, and those done before a resumed fit are not seen here.
    const double all = static_cast<double>(epochs) * static_cast<double>(members_);
    done_[static_cast<std::size_t>(record.member)] = static_cast<double>(record.epoch) / static_cast<double>(epochs);
    double done = 0.0;
    for (const double part : done_) done += part / static_cast<double>(members_);
    const double rate = static_cast<double>(epochs_seen_) / seconds_since(start_);
    control_.callback({record, static_cast<std::int64_t>(members_), epochs, done, all * (1.0 - done) / rate});
  }

  const TrainingTask& task_;
  const std::vector<MemberPlan>& plans_;
  const FitControl& control_;
  std::size_t members_;
  std::vector<TrainedMember> trained_;
  std::atomic<std::size_t> next_ = 0;
  Board board_;
  Clock::time_point start_ = Clock::now();
  std::int64_t epochs_seen_ = 0;
  std::vector<double> done_ = std::vector<double>(members_, 0.0);
};

}  // namespace

std::vector<TrainedMember> fit_members(const TrainingTask& task, const std::vector<MemberPlan>& plans,
                                       const FitControl& control) {
  return Fit(task, plans, control).run();
}

}  // namespace diffeo
