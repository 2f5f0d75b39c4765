// Child processes that work, and a parent that watches.
//
//   WorkerProcesses workers(jobs, [&](const WorkerLine& line) { ... line.begins(3); ... });
//   while (workers.alive() > 0) {
//     for (const WorkerEnd& end : workers.wait(std::chrono::milliseconds(200))) ...
//   }
//
//   * children are copies of the process by fork(), which must have no other threads; they end when the function does,
//     without running anything else of the program
//   * a child can tell that its parent is gone, and says on which piece of work it is
//   * the destructor asks children to stop (SIGTERM) and waits for them
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/shared_files.hpp"

namespace diffeo {

/// The child's end of the line to its parent.
class WorkerLine {
 public:
  WorkerLine(int descriptor, pid_t parent) noexcept : descriptor_(descriptor), parent_(parent) {}

  void begins(std::size_t item) const noexcept;
  void complains(const std::string& problem) const noexcept;
  [[nodiscard]] bool is_orphan() const noexcept;

 private:
  void say(const std::string& line) const noexcept;

  int descriptor_;
  pid_t parent_;
};

/// A child that is no more.
struct WorkerEnd {
  std::string problem = {};                        ///< what it threw
  int signal = 0;                                  ///< that ended it; 0 where none did
  std::optional<std::size_t> item = std::nullopt;  ///< the last that it began
};

class WorkerProcesses {
 public:
  using Work = std::function<void(const WorkerLine&)>;

  WorkerProcesses(std::size_t count, Work work);
  WorkerProcesses(const WorkerProcesses&) = delete;
  WorkerProcesses& operator=(const WorkerProcesses&) = delete;
  ~WorkerProcesses();

  [[nodiscard]] std::size_t alive() const noexcept { return children_.size(); }
  /// Those that have ended, after at most that time.
  [[nodiscard]] std::vector<WorkerEnd> wait(std::chrono::milliseconds longest);
  /// Another one.
  void start();
  /// Asks all to stop.
  void stop() const noexcept;

 private:
  struct Child {
    pid_t process;
    Descriptor line;
    std::string heard = {};
  };
  void listen(std::chrono::milliseconds longest);
  [[noreturn]] void be_child(int descriptor, pid_t parent) const noexcept;

  Work work_;
  std::vector<Child> children_;
};

}  // namespace diffeo
