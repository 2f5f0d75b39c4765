#include "fit_members.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <numeric>
#include <span>
#include <thread>

#include "checkpoint.hpp"
#include "diffeo/error.hpp"
#include "diffeo/tensor_file.hpp"
#include "diffeo/threads.hpp"
#include "torch_threads.hpp"

namespace diffeo {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kWatchInterval{100};
/// Samples of a batch that keep one of torch's threads busy: with fewer, threads wait for each other more than they
/// work.
constexpr std::int64_t kSamplesPerThread = 8192;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// An epoch that is done, and how far everything is with it.
struct Report {
  EpochRecord record;
  std::int64_t epochs = 1;  // of that member
  double done = 0.0;        // part of all the work
  double gained = 0.0;      // part of it since this fit began: a resumed one begins with some done
};

/// What workers and the watching thread share.
struct Board {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Report> reports;
  std::vector<double> done;  // part of each member's work
  double gained = 0.0;
  std::size_t running = 0;
  std::exception_ptr failure;  // the first; but of an interruption, what goes wrong on the way out
  bool is_interrupted = false;
  std::atomic<bool> stop = false;
  bool is_decided = false;  // that all processes are done: too late to stop

  void fail(std::exception_ptr problem, bool is_interruption = false) {
    const std::lock_guard lock(mutex);
    if (is_decided) return;
    if (!failure || (is_interrupted && !is_interruption)) {
      failure = std::move(problem);
      is_interrupted = is_interruption;
    }
    stop = true;
    changed.notify_one();
  }
};

class Fit {
 public:
  Fit(const std::vector<MemberPlan>& plans, const FitControl& control)
      : group_(plans.front().task->group()),
        plans_(plans),
        control_(control),
        members_(plans.size()),
        trained_(plans.size()) {}

  std::vector<TrainedMember> run() {
    const TorchThreads torch_threads;
    const std::size_t threads = control_.threads == 0 ? available_threads() : control_.threads;
    const std::size_t workers = group_.alone() ? std::min(threads, members_) : 1;
    board_.running = workers;
    board_.done.assign(members_, 0.0);
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
    const TrainingTask& task = *plans_.front().task;
    const std::int64_t samples = task.options.batch_size * task.length *
                                 static_cast<std::int64_t>(task.set->channels()) /
                                 static_cast<std::int64_t>(group_.size());
    const auto useful = static_cast<std::size_t>(std::max<std::int64_t>(1, samples / kSamplesPerThread));
    return static_cast<int>(std::min(share, useful));
  }

  void work(int torch_threads) noexcept {
    set_torch_threads(torch_threads);
    try {
      const auto goes_on = [&] { return !group_.alone() || !board_.stop; };
      for (std::size_t member = next_++; member < members_ && goes_on(); member = next_++) train(member);
      if (!group_.alone()) decide();
    } catch (const Interrupted&) {
      board_.fail(std::current_exception(), true);
    } catch (...) {
      board_.fail(std::current_exception());
    }
    const std::lock_guard lock(board_.mutex);
    --board_.running;
    board_.changed.notify_one();
  }

  /// Whether anybody was asked to stop after the last step in which all would have heard of it.
  void decide() {
    bool stops = false;
    {
      const std::lock_guard lock(board_.mutex);
      board_.is_decided = true;
      stops = board_.stop;
    }
    if (group_.sum(stops ? 1.0 : 0.0) == 0.0) return;
    const std::lock_guard lock(board_.mutex);
    board_.is_decided = false;
    throw Interrupted("training was interrupted at its end");
  }

  /// Where the first process has a checkpoint, all go on from it.
  void begin(MemberTraining& training, const Checkpoint& checkpoint) {
    bool is_restored = false;
    group_.together([&] { is_restored = control_.resume && checkpoint.restore(training); });
    if (group_.alone()) return;
    std::string state;
    if (is_restored) {
      const std::vector<std::byte> bytes = encode_tensor_file(training.state());
      state.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    state = group_.of_first(state);
    if (group_.is_first() || state.empty()) return;
    training.restore(decode_tensor_file(std::as_bytes(std::span(state)), "the checkpoint of the first process"));
  }

  /// Where the first process cannot write, all end, and it says why.
  void keep_if_due(const Checkpoint& checkpoint, const MemberTraining& training, Clock::time_point& written) const {
    group_.together([&] {
      if (!training.finished() && seconds_since(written) < control_.checkpoint_seconds) return;
      checkpoint.write(training);
      written = Clock::now();
    });
  }

  /// After a failure, which is what is to be told, whatever becomes of the checkpoint; what went wrong with it, or
  /// nothing.
  static std::string keep_after_failure(const Checkpoint& checkpoint, const MemberTraining& training) {
    try {
      checkpoint.write(training);
    } catch (const std::exception& problem) {
      return problem.what();
    }
    return {};
  }

  [[nodiscard]] static std::string where_to_go_on(const Checkpoint& checkpoint, const std::string& problem) {
    if (!checkpoint.enabled()) return "; no checkpoint was kept";
    if (!problem.empty()) return "; its checkpoint could not be kept: " + problem;
    return message("; the last good checkpoint is ", checkpoint.file());
  }

  void train(std::size_t member) {
    const MemberPlan& plan = plans_[member];
    const auto stop = [this] { return board_.stop.load(); };
    MemberTraining training(*plan.task, plan.number, plan.items, stop, plan.effort);
    const Checkpoint checkpoint(group_.is_first() ? control_.checkpoint : std::filesystem::path(), *plan.task,
                                plan.number);
    begin(training, checkpoint);
    note_start(training, member);
    Clock::time_point written = Clock::now();
    try {
      while (!training.finished()) {
        training.run_epoch();
        report(training, member);
        keep_if_due(checkpoint, training, written);
      }
    } catch (const Interrupted&) {
      checkpoint.write(
          training);  // all processes are here, and none waits for another: what this throws is the failure
      throw;
    } catch (const NonFiniteLoss& problem) {
      // The last complete epoch was good.
      throw NonFiniteLoss(problem.what() + where_to_go_on(checkpoint, keep_after_failure(checkpoint, training)));
    } catch (...) {
      // Another process may be gone: nothing of what was done here is lost.
      if (!group_.alone()) (void)keep_after_failure(checkpoint, training);
      throw;
    }
    trained_[member] = {training.network(), training.history()};
  }

  void note_start(const MemberTraining& training, std::size_t member) {
    const std::lock_guard lock(board_.mutex);
    board_.done[member] = static_cast<double>(training.epoch()) / static_cast<double>(training.epochs());
  }

  void report(const MemberTraining& training, std::size_t member) {
    const std::lock_guard lock(board_.mutex);
    const auto epochs = static_cast<double>(training.epochs());
    const auto members = static_cast<double>(members_);
    board_.done[member] = training.finished() ? 1.0 : static_cast<double>(training.epoch()) / epochs;
    board_.gained += 1.0 / (epochs * members);
    const double done = std::accumulate(board_.done.begin(), board_.done.end(), 0.0) / members;
    board_.reports.push_back({training.history().back(), training.epochs(), done, board_.gained});
    board_.changed.notify_one();
  }

  /// Until all workers are done. What callbacks throw stops the workers and comes out of run.
  void watch() {
    std::unique_lock lock(board_.mutex);
    while (board_.running > 0 || !board_.reports.empty()) {
      board_.changed.wait_for(lock, kWatchInterval, [&] { return board_.running == 0 || !board_.reports.empty(); });
      std::deque<Report> reports;
      reports.swap(board_.reports);
      const bool running = board_.running > 0;
      lock.unlock();
      try {
        for (const Report& each : reports) hand_on(each);
        if (running && !board_.stop && control_.stop && control_.stop()) {
          board_.fail(std::make_exception_ptr(Interrupted("training was interrupted")), true);
        }
      } catch (...) {
        board_.fail(std::current_exception());
      }
      lock.lock();
    }
  }

  void hand_on(const Report& report) const {
    if (!control_.callback || board_.stop) return;
    const double seconds_left = seconds_since(start_) * (1.0 - report.done) / report.gained;
    control_.callback({report.record, plans_.back().number + 1, report.epochs, report.done, seconds_left});
  }

  const Group& group_;
  const std::vector<MemberPlan>& plans_;
  const FitControl& control_;
  std::size_t members_;
  std::vector<TrainedMember> trained_;
  std::atomic<std::size_t> next_ = 0;
  Board board_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

std::vector<TrainedMember> fit_members(const std::vector<MemberPlan>& plans, const FitControl& control) {
  return Fit(plans, control).run();
}

}  // namespace diffeo
