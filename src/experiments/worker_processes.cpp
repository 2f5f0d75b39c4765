#include "experiments/worker_processes.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <exception>
#include <system_error>
#include <utility>

namespace diffeo {
namespace {

constexpr char kBegins = 'B';
constexpr char kComplains = 'C';
constexpr int kWorked = 0;
constexpr int kFailed = 1;

/// What a child said, line by line.
WorkerEnd end_of(const std::string& heard, int status) {
  WorkerEnd end;
  end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  std::size_t start = 0;
  for (std::size_t stop = heard.find('\n'); stop != std::string::npos; stop = heard.find('\n', start)) {
    const std::string line = heard.substr(start, stop - start);
    start = stop + 1;
    if (line.starts_with(kComplains)) end.problem = line.substr(1);
    std::size_t item = 0;
    const bool is_number = std::from_chars(line.data() + 1, line.data() + line.size(), item).ec == std::errc();
    if (line.starts_with(kBegins) && is_number) end.item = item;
  }
  if (end.signal == 0 && WEXITSTATUS(status) != kWorked && end.problem.empty()) {
    end.problem = "a process ended with exit code " + std::to_string(WEXITSTATUS(status));
  }
  return end;
}

}  // namespace

void WorkerLine::say(const std::string& line) const noexcept {
  // A parent that is gone hears nothing, which is no reason for a signal.
  while (send(descriptor_, line.data(), line.size(), MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

void WorkerLine::begins(std::size_t item) const noexcept { say(kBegins + std::to_string(item) + "\n"); }

void WorkerLine::complains(const std::string& problem) const noexcept {
  say(kComplains + problem.substr(0, problem.find('\n')) + "\n");
}

bool WorkerLine::is_orphan() const noexcept { return getppid() != parent_; }

WorkerProcesses::WorkerProcesses(std::size_t count, Work work) : work_(std::move(work)) {
  for (std::size_t child = 0; child < count; ++child) start();
}

WorkerProcesses::~WorkerProcesses() {
  stop();
  for (const Child& child : children_) {
    while (waitpid(child.process, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

void WorkerProcesses::start() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::system_error(errno, std::generic_category(), "a line to a process");
  }
  Descriptor ours(ends[0]);
  const Descriptor theirs(ends[1]);
  const pid_t parent = getpid();
  const pid_t process = fork();
  if (process < 0) throw std::system_error(errno, std::generic_category(), "a process");
  if (process == 0) be_child(theirs.number(), parent);
  children_.push_back({process, std::move(ours)});
}

void WorkerProcesses::be_child(int descriptor, pid_t parent) const noexcept {
  const WorkerLine line(descriptor, parent);
  try {
    work_(line);
  } catch (const std::exception& problem) {
    line.complains(problem.what());
    _exit(kFailed);
  }
  _exit(kWorked);  // nothing of the parent's is flushed or destroyed twice
}

void WorkerProcesses::stop() const noexcept {
  for (const Child& child : children_) kill(child.process, SIGTERM);
}

void WorkerProcesses::listen(std::chrono::milliseconds longest) {
  std::vector<pollfd> lines;
  for (const Child& child : children_) lines.push_back({child.line.number(), POLLIN, 0});
  if (poll(lines.data(), lines.size(), static_cast<int>(longest.count())) <= 0) return;
  std::array<char, 4096> buffer;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].revents == 0) continue;
    const ssize_t count = recv(lines[i].fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (count > 0) children_[i].heard.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

std::vector<WorkerEnd> WorkerProcesses::wait(std::chrono::milliseconds longest) {
  listen(longest);
  std::vector<WorkerEnd> ends;
  std::erase_if(children_, [&](Child& child) {
    int status = 0;
    if (waitpid(child.process, &status, WNOHANG) != child.process) return false;
    std::array<char, 4096> buffer;  // what it said last
    for (ssize_t count = 1; count > 0;) {
      count = recv(child.line.number(), buffer.data(), buffer.size(), MSG_DONTWAIT);
      if (count > 0) child.heard.append(buffer.data(), static_cast<std::size_t>(count));
    }
    ends.push_back(end_of(child.heard, status));
    return true;
  });
  return ends;
}

}  // namespace diffeo
