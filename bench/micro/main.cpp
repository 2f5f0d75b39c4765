// Results carry what they were measured with.
#include <benchmark/benchmark.h>

#include <string>

#include "diffeo/version.hpp"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::AddCustomContext("diffeo_version", std::string(diffeo::version()));
  benchmark::AddCustomContext("compiler", std::string(diffeo::compiler()));
  benchmark::AddCustomContext("instruction_set", std::string(diffeo::instruction_set()));
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
