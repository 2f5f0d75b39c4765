// torch's modules draw their first weights from torch's own generator. This leaves it as it was.
//
//   const UntouchedGenerator guard;      // until the end of the block
//   network = std::make_shared<...>(...);
//
// One at a time: two that overlap would each put back what the other had drawn.
#pragma once

#include <ATen/CPUGeneratorImpl.h>

#include <mutex>

namespace diffeo {

class UntouchedGenerator {
 public:
  UntouchedGenerator() : lock_(one_at_a_time()), generator_(at::detail::getDefaultCPUGenerator()) {
    const std::lock_guard generator_lock(generator_.mutex());
    state_ = generator_.get_state();
  }
  UntouchedGenerator(const UntouchedGenerator&) = delete;
  UntouchedGenerator& operator=(const UntouchedGenerator&) = delete;
  ~UntouchedGenerator() {
    const std::lock_guard generator_lock(generator_.mutex());
    generator_.set_state(state_);
  }

 private:
  static std::mutex& one_at_a_time() {
    static std::mutex mutex;
    return mutex;
  }

  std::lock_guard<std::mutex> lock_;
  at::Generator generator_;
  at::Tensor state_;
};

}  // namespace diffeo
