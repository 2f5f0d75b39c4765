// A disk without room, for tests of what becomes of a file that cannot be written.
#pragma once

#include <sys/resource.h>

#include <csignal>

namespace diffeo::testing {

/// While it lives, no file of this process can grow: writing fails, as on a full disk.
class FilesCannotGrow {
 public:
  FilesCannotGrow() : handler_(std::signal(SIGXFSZ, SIG_IGN)) {  // which would end the process
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit none{0, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &none);
  }
  FilesCannotGrow(const FilesCannotGrow&) = delete;
  FilesCannotGrow& operator=(const FilesCannotGrow&) = delete;
  ~FilesCannotGrow() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_{};
};

}  // namespace diffeo::testing
