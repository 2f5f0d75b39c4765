// Processes that are killed at any moment: started again, every piece of work is done, and has one result.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <thread>

#include "diffeo/evaluation.hpp"
#include "support/fake_networks.hpp"
#include "support/small_archive.hpp"
#include "support/temporary_directory.hpp"

namespace diffeo {
namespace killed_work_test {

using namespace std::chrono_literals;

constexpr auto kTimeOfAFit = 4ms;
constexpr int kRefused = 3;

class KilledWork : public ::testing::Test {
 protected:
  KilledWork() {
    testing::add_small_set(archive_path(), "Apple", 1);
    testing::add_small_set(archive_path(), "Bread", 3);
    plan_.methods = {"euclidean", "diffeo"};
    plan_.seeds = {0, 1, 2, 3, 4, 5};
  }
  [[nodiscard]] std::filesystem::path archive_path() const { return directory_.path() / "archive"; }
  [[nodiscard]] std::filesystem::path results_path() const { return directory_.path() / "results"; }
  [[nodiscard]] std::filesystem::path diary() const { return directory_.path() / "fits"; }
  [[nodiscard]] std::vector<WorkItem> items() const { return work_items(Archive(archive_path()), plan_); }

  /// A process that does all that is missing, writes every fit into a diary, and exits with 0 when all is done.
  [[nodiscard]] pid_t started(std::size_t jobs) const {
    const pid_t child = fork();
    if (child != 0) return child;
    EvaluationControl control;
    control.jobs = jobs;
    control.make_network = [this](const NetworkTask& task) -> std::shared_ptr<WarpingAligner> {
      const int file = open(diary().c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
      const std::string line = std::to_string(getpid()) + "\n";
      if (write(file, line.data(), line.size()) < 0) _exit(2);
      close(file);
      std::this_thread::sleep_for(kTimeOfAFit);
      if (task.stop && task.stop()) throw std::runtime_error("stopped");
      return std::make_shared<testing::Unmoved>();
    };
    try {
      const Archive archive(archive_path());
      ResultStore store(results_path());
      _exit(evaluate(work_items(archive, plan_), archive, store, control) ? 0 : 1);
    } catch (const std::exception& problem) {
      fprintf(stderr, "%s\n", problem.what());
      _exit(kRefused);
    }
  }

  [[nodiscard]] std::vector<std::string> lines_of(const std::filesystem::path& path) const {
    std::ifstream file(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }

  void expect_everything_once() const {
    std::map<WorkItem, int> found;
    for (const std::string& line : lines_of(results_path() / "results.jsonl")) {
      const EvaluationResult result = result_of_line(line);
      EXPECT_EQ(result.error, "");
      ++found[result.item];
    }
    for (const auto& [item, count] : found) EXPECT_EQ(count, 1);
    for (const WorkItem& item : items()) EXPECT_TRUE(found.contains(item)) << item.dataset << " " << item.method;
    EXPECT_EQ(found.size(), items().size());
  }

  testing::TemporaryDirectory directory_;
  EvaluationPlan plan_;
};

int exit_code_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(KilledWork, NothingIsDoneWhereASecondProcessIsRefused) {
  const pid_t first = started(1);
  while (lines_of(diary()).empty()) std::this_thread::sleep_for(kTimeOfAFit);
  kill(first, SIGSTOP);
  EXPECT_EQ(exit_code_of(started(1)), kRefused);
  EXPECT_EQ(exit_code_of(started(2)), kRefused);
  kill(first, SIGCONT);
  EXPECT_EQ(exit_code_of(first), 0);
  expect_everything_once();
  EXPECT_EQ(lines_of(diary()).size(), 12u);
}

TEST_F(KilledWork, KilledAtAnyMomentAndStartedAgainEveryItemHasOneResult) {
  constexpr int longest = 40;  // milliseconds
  std::mt19937 random(20);
  for (int kills = 0; kills < 25; ++kills) {
    const pid_t child = started(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % longest));
    kill(child, SIGKILL);
    if (exit_code_of(child) == 0) break;
  }
  ASSERT_EQ(exit_code_of(started(1)), 0);
  expect_everything_once();
}

TEST_F(KilledWork, KilledParentsLeaveNoResultTwiceThoughTheirChildrenLiveOn) {
  constexpr int longest = 60;
  std::mt19937 random(21);
  for (int kills = 0; kills < 8; ++kills) {
    const pid_t child = started(2);
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % longest));
    kill(child, SIGKILL);
    if (exit_code_of(child) == 0) break;
  }
  ASSERT_EQ(exit_code_of(started(2)), 0);
  expect_everything_once();
}

TEST_F(KilledWork, KilledChildrenAreReplacedAndLeaveNoResultTwice) {
  const pid_t parent = started(2);
  pid_t last_victim = 0;
  for (int kills = 0; kills < 5;) {
    const std::vector<std::string> fits = lines_of(diary());
    const pid_t child = fits.empty() ? 0 : static_cast<pid_t>(std::stoi(fits.back()));
    if (child != last_victim && kill(child, SIGKILL) == 0) {
      ++kills;
      last_victim = child;
    }
    if (fits.size() >= items().size()) break;
    std::this_thread::sleep_for(1ms);
  }
  const int code = exit_code_of(parent);
  EXPECT_EQ(code, 0);
  std::map<WorkItem, int> found;
  for (const std::string& line : lines_of(results_path() / "results.jsonl")) ++found[result_of_line(line).item];
  EXPECT_EQ(found.size(), items().size());
  for (const auto& [item, count] : found) EXPECT_EQ(count, 1);
}

}  // namespace killed_work_test
}  // namespace diffeo
