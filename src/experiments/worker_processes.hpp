// A child process for each item, and a parent that watches.
//
//   WorkerProcesses workers([&](std::size_t item) { return text_of(item); });
//   workers.start(3);
//   for (const WorkerEnd& end : workers.wait(std::chrono::milliseconds(200))) use(end.item, end.text);
//
//   * children are copies of the process by fork(), which must have no other threads. They end when the function does,
//     without running anything else of the program
//   * what the function throws, wait() throws as std::runtime_error
//   * the destructor asks children to stop (SIGTERM) and waits for them
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "experiments/descriptor.hpp"

namespace diffeo {

/// A child that has ended.
struct WorkerEnd {
  std::size_t item = 0;
  int signal = 0;         ///< that killed it; 0 if none did
  std::string text = {};  ///< what the function returned
};

class WorkerProcesses {
 public:
  using Work = std::function<std::string(std::size_t item)>;

  explicit WorkerProcesses(Work work);
  WorkerProcesses(const WorkerProcesses&) = delete;
  WorkerProcesses& operator=(const WorkerProcesses&) = delete;
  ~WorkerProcesses();

  [[nodiscard]] std::size_t alive() const noexcept { return children_.size(); }
  void start(std::size_t item);
  /// Those that end within that time; returns as soon as one does.
  [[nodiscard]] std::vector<WorkerEnd> wait(std::chrono::milliseconds longest);
  /// Asks all to stop.
  void stop() const noexcept;

 private:
  struct Child {
    pid_t process;
    Descriptor pipe;
    WorkerEnd end;
  };
  [[noreturn]] void be_child(std::size_t item, const Descriptor& pipe) noexcept;

  Work work_;
  std::vector<Child> children_;
};

}  // namespace diffeo
