// diffeo benchmark: the paper's timing setting, and two finer ones, on this machine.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/config_file.hpp"
#include "cli/timing_case.hpp"
#include "cli/verb.hpp"
#include "diffeo/version.hpp"

namespace diffeo::cli {
namespace {

constexpr CaseSize kCases[] = {{30, 1'000, 40}, {256, 1'000, 40}, {1024, 10'000, 40}};
constexpr std::uint64_t kSeed = 1;  // fixed: a timing is compared with other timings of the same work

struct BenchmarkOptions {
  std::size_t threads = 1;
  std::size_t repetitions = 100;
  bool json = false;
  ConfigOptions config;
};

struct Measurement {
  std::string work;
  std::string precision;
  CaseSize size;
  double milliseconds;  // the least of all repetitions: what the work costs when nothing else interferes

  [[nodiscard]] double nanoseconds_per_point() const {
    return milliseconds * 1e6 / static_cast<double>(size.points * size.warps);
  }
};

template <class Work>
double least_milliseconds(std::size_t repetitions, const Work& work) {
  double least = std::numeric_limits<double>::infinity();
  work();  // the first call also pays for memory never touched before
  for (std::size_t i = 0; i < repetitions; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
    least = std::min(least, taken.count());
  }
  return least;
}

template <class Real>
void measure(const std::string& precision, const BenchmarkOptions& options, std::vector<Measurement>& measurements) {
  for (const CaseSize& size : kCases) {
    TimingCase<Real> timing_case(size, kSeed);
    const auto add = [&](const char* work, const auto& call) {
      measurements.push_back({work, precision, size, least_milliseconds(options.repetitions, call)});
    };
    add("flow", [&] { timing_case.flow(options.threads); });
    add("flow_vjp", [&] { timing_case.flow_vjp(options.threads); });
  }
}

void print_json(const BenchmarkOptions& options, const std::vector<Measurement>& measurements) {
  nlohmann::ordered_json document = {{"version", version()},
                                     {"compiler", compiler()},
                                     {"instruction_set", instruction_set()},
                                     {"threads", options.threads},
                                     {"repetitions", options.repetitions},
                                     {"seed", kSeed},
                                     {"results", nlohmann::ordered_json::array()}};
  for (const Measurement& each : measurements) {
    document["results"].push_back({{"work", each.work},
                                   {"precision", each.precision},
                                   {"cells", each.size.cells},
                                   {"points", each.size.points},
                                   {"warps", each.size.warps},
                                   {"milliseconds", each.milliseconds},
                                   {"nanoseconds_per_point", each.nanoseconds_per_point()}});
  }
  std::cout << document.dump(2) << '\n';
}

void print_table(const BenchmarkOptions& options, const std::vector<Measurement>& measurements) {
  std::cout << "diffeo " << version() << ", " << compiler() << ", " << instruction_set() << ", "
            << (options.threads == 0 ? "all" : std::to_string(options.threads))
            << (options.threads == 1 ? " thread" : " threads") << ", least of " << options.repetitions
            << (options.repetitions == 1 ? " repetition" : " repetitions") << "\n\n"
            << "work      precision   cells  points  warps        ms  ns/point\n";
  for (const Measurement& each : measurements) {
    std::cout << std::left << std::setw(10) << each.work << std::setw(9) << each.precision << std::right << std::setw(8)
              << each.size.cells << std::setw(8) << each.size.points << std::setw(7) << each.size.warps << std::fixed
              << std::setprecision(3) << std::setw(10) << each.milliseconds << std::setprecision(2) << std::setw(10)
              << each.nanoseconds_per_point() << '\n';
  }
}

void benchmark(const BenchmarkOptions& options) {
  std::vector<Measurement> measurements;
  measure<float>("float32", options, measurements);
  measure<double>("float64", options, measurements);
  options.json ? print_json(options, measurements) : print_table(options, measurements);
}

}  // namespace

void add_benchmark(CLI::App& program, Action& action) {
  CLI::App* verb = program.add_subcommand("benchmark", "Time the flow and its gradient on this machine");
  verb->group("Verbs");
  const auto options = std::make_shared<BenchmarkOptions>();
  verb->add_option("--threads", options->threads, "Threads to use; 0 means all cores")
      ->check(CLI::Range(0, 1024).description(""))
      ->type_name("N")
      ->capture_default_str();
  verb->add_option("--repetitions", options->repetitions, "Repetitions, of which the fastest counts")
      ->check(CLI::Range(1, 1'000'000).description(""))
      ->type_name("N")
      ->capture_default_str();
  verb->add_flag("--json", options->json, "Print JSON instead of a table");
  add_config_options(*verb, options->config);
  verb->callback([options, verb, &action] {
    action = saving_config(*verb, options->config, {}, [options] { benchmark(*options); });
  });
}

}  // namespace diffeo::cli
