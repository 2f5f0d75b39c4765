#include "experiments/worker_processes.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <exception>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "data/printable.hpp"

namespace diffeo {
namespace {

constexpr int kReturned = 0;
constexpr int kThrew = 1;

/// Reads what there is; false at the end, which comes with the end of the child.
bool hear(const Descriptor& pipe, std::string& text) {
  std::array<char, 4096> buffer;
  const ssize_t count = read(pipe.number(), buffer.data(), buffer.size());
  if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && errno == EINTR);
}

/// To a parent that is gone, this ends the child by SIGPIPE.
void tell(const Descriptor& pipe, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t count = write(pipe.number(), text.data(), text.size());
    if (count < 0 && errno != EINTR) _exit(kThrew);
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  }
}

int wait_status(pid_t process) noexcept {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

WorkerProcesses::WorkerProcesses(Work work) : work_(std::move(work)) {}

WorkerProcesses::~WorkerProcesses() {
  stop();
  for (const Child& child : children_) wait_status(child.process);
}

void WorkerProcesses::start(std::size_t item) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "a pipe to a process");
  Descriptor ours(ends[0]);
  const Descriptor theirs(ends[1]);
  const pid_t process = fork();
  if (process < 0) throw std::system_error(errno, std::generic_category(), "a process");
  if (process == 0) be_child(item, theirs);
  children_.push_back({process, std::move(ours), {item}});
}

void WorkerProcesses::be_child(std::size_t item, const Descriptor& pipe) noexcept {
  try {
    tell(pipe, work_(item));
  } catch (const std::exception& problem) {
    tell(pipe, files::problem_text(problem));
    _exit(kThrew);
  }
  _exit(kReturned);  // flushes and destroys nothing of the parent's a second time
}

void WorkerProcesses::stop() const noexcept {
  for (const Child& child : children_) kill(child.process, SIGTERM);
}

std::vector<WorkerEnd> WorkerProcesses::wait(std::chrono::milliseconds longest) {
  std::vector<pollfd> pipes;
  for (const Child& child : children_) pipes.push_back({child.pipe.number(), POLLIN, 0});
  std::vector<WorkerEnd> ends;
  if (poll(pipes.data(), pipes.size(), static_cast<int>(longest.count())) <= 0) return ends;
  for (std::size_t i = pipes.size(); i-- > 0;) {
    if (pipes[i].revents == 0 || hear(children_[i].pipe, children_[i].end.text)) continue;
    Child child = std::move(children_[i]);
    children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(i));
    const int status = wait_status(child.process);
    child.end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (child.end.signal == 0 && WEXITSTATUS(status) != kReturned) {
      throw std::runtime_error(child.end.text.empty() ? "a process ended without a result" : child.end.text);
    }
    ends.push_back(std::move(child.end));
  }
  return ends;
}

}  // namespace diffeo
