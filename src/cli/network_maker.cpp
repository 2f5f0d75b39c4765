#include "cli/network_maker.hpp"

#include <ATen/Parallel.h>

#include "diffeo/threads.hpp"
#include "diffeo/torch/temporal_aligner.hpp"

namespace diffeo::cli {

NetworkMaker network_maker(const std::string&) {
  return [](const NetworkTask& task) {
    FitControl control;
    control.threads = task.threads;
    control.stop = task.stop;
    // For what happens outside of fit: torch counts threads for every thread that calls it.
    at::set_num_threads(static_cast<int>(task.threads == 0 ? available_threads() : task.threads));
    const auto aligner = std::make_shared<TemporalAligner>(task.options, task.seed);
    aligner->set_control(control);
    return aligner;
  };
}

}  // namespace diffeo::cli
