#include "cli/experiments_command.hpp"

#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "diffeo/error.hpp"

extern char** environ;

namespace diffeo::cli {
namespace {

/// One line instead of a traceback if the package is missing.
constexpr const char* kStart =
    "import sys\n"
    "try:\n"
    "  from diffeo.experiments.__main__ import main\n"
    "except ImportError as problem:\n"
    "  sys.exit(f'diffeo: needs Python with diffeo[experiments], got {sys.executable}: {problem}')\n"
    "sys.exit(main(sys.argv[1:]))\n";

std::filesystem::path folder_of_program() {
  std::error_code error;  // where there is no /proc
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
}

std::string python() {
  if (const char* const named = std::getenv("DIFFEO_PYTHON"); named != nullptr && *named != '\0') return named;
  const std::filesystem::path project = folder_of_program().parent_path().parent_path() / ".venv" / "bin" / "python";
  std::error_code error;
  return std::filesystem::exists(project, error) ? project.string() : "python3";
}

/// Of the process that is started, which inherits it.
void put_built_package_first() {
  const std::filesystem::path built = folder_of_program().parent_path() / "python";
  std::error_code error;
  if (!std::filesystem::exists(built / "diffeo" / "experiments", error)) return;
  const char* const before = std::getenv("PYTHONPATH");
  const std::string rest = before != nullptr && *before != '\0' ? std::string(":") + before : "";
  setenv("PYTHONPATH", (built.string() + rest).c_str(), 1);
}

/// Ctrl-C reaches both processes; the one that is started says so, and this one answers its exit code.
class IgnoredInterrupts {
 public:
  IgnoredInterrupts() { before_ = std::signal(SIGINT, SIG_IGN); }
  ~IgnoredInterrupts() { std::signal(SIGINT, before_); }
  IgnoredInterrupts(const IgnoredInterrupts&) = delete;
  IgnoredInterrupts& operator=(const IgnoredInterrupts&) = delete;

 private:
  void (*before_)(int) = SIG_DFL;
};

int exit_code_of(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

void run_experiments(const std::vector<std::string>& arguments) {
  const std::string interpreter = python();
  std::vector<std::string> words = {interpreter, "-c", kStart};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  put_built_package_first();
  std::cout.flush();
  pid_t process = 0;
  if (posix_spawnp(&process, interpreter.c_str(), nullptr, nullptr, pointers.data(), environ) != 0) {
    throw std::runtime_error(message("needs Python with diffeo[experiments], got no ", interpreter,
                                     "; DIFFEO_PYTHON names the interpreter"));
  }
  const IgnoredInterrupts ignored;
  if (const int code = exit_code_of(process); code != 0) throw EndedWith(code);
}

}  // namespace diffeo::cli
